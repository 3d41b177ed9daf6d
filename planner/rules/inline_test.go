package rules

import (
	"testing"

	"github.com/rdfgpu/rdfgpu/parser"
)

func TestInline(t *testing.T) {
	v := func(name string) parser.Expr { return &parser.Var{Name: name} }
	call := func(f string, args ...parser.Expr) parser.Expr { return &parser.Call{Function: f, Args: args} }
	bind := &parser.Extend{Variable: "r", Expr: call("/", v("a"), v("b"))}
	if got := inline(call(">", v("r"), v("c")), bind); got == nil || parser.FormatExpr(got) != parser.FormatExpr(call(">", call("/", v("a"), v("b")), v("c"))) {
		t.Errorf("a comparison becomes %v", got)
	}
	if got := inline(call("&&", call("BOUND", v("c")), call(">", v("r"), v("c"))), bind); got == nil {
		t.Error("BOUND of another variable is no obstacle")
	}
	if got := inline(call("BOUND", v("r")), bind); got != nil {
		t.Errorf("BOUND of the variable itself becomes %s", parser.FormatExpr(got))
	}
	if got := inline(call(">", v("r"), v("c")), &parser.Extend{Variable: "r", Expr: call("RAND")}); got != nil {
		t.Errorf("a volatile expression is inlined: %s", parser.FormatExpr(got))
	}
	large := v("a")
	for range maxInlined {
		large = call("+", large, v("b"))
	}
	if got := inline(call(">", v("r"), v("c")), &parser.Extend{Variable: "r", Expr: large}); got != nil {
		t.Error("a large expression is inlined")
	}
}
