package expr

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// oxigraphDiffers are texts of expressions that Oxigraph answers otherwise for a known reason.
var oxigraphDiffers = []struct{ part, reason string }{
	{"@", "a string with a language tag has no effective boolean value there"},
	{"99999", "its integers have 64 bits"}, {"100000000000000", "its integers have 64 bits"}, {"1e20", "its integers have 64 bits"},
	{"1e19", "its integers have 64 bits"}, {"0000000001", "its decimals have 18 digits"}, {"24:00:00", "midnight is written anew"},
	{"#byte", "integers of all types become xsd:integer"}, {"1e3", "it has no value there"}, {`"x"`, "ill-typed literals are errors as conditions"},
	{"yes", "ill-typed literals are errors as conditions"}, {"2006-13", "ill-typed literals are errors as conditions"},
	{"duration", "durations have values there"}, {"NaN", "NaN is an error in comparisons"}, {"INF", "its casts differ"},
	{`"1"^^<` + rdf.XSD + "boolean>", "booleans are written anew"}, {`"0"^^<` + rdf.XSD + "boolean>", "booleans are written anew"},
	{"+14:00", "far zones"}, {"(?x ||", "booleans have no order"}, {" / ", "quotients are cut off, not rounded"},
	{" < (", "booleans have no order"}, {" > (", "booleans have no order"}, {" <= (", "booleans have no order"}, {" >= (", "booleans have no order"},
	{`"0.10"`, "numbers are written anew"}, {`"01"`, "numbers are written anew"}, {`"-0"`, "numbers are written anew"}, {`"5e0"`, "numbers are written anew"},
	{"<http://e/u> <=", "unknown datatypes are compared there"}, {"<http://e/t> <=", "unknown datatypes are compared there"},
	{"<http://e/u> >=", "unknown datatypes are compared there"}, {"<http://e/t> >=", "unknown datatypes are compared there"},
}

func oxigraphCompares(text string) bool {
	for _, d := range oxigraphDiffers {
		if strings.Contains(text, d.part) {
			return false
		}
	}
	return true
}

// TestExpressionsAgreeWithOxigraph compares thousands of generated expressions with Oxigraph. RDFGPU_OXIGRAPH names a
// Python that has pyoxigraph.
func TestExpressionsAgreeWithOxigraph(t *testing.T) {
	python := os.Getenv("RDFGPU_OXIGRAPH")
	if python == "" {
		t.Skip("RDFGPU_OXIGRAPH does not name a Python with pyoxigraph")
	}
	r := rand.New(rand.NewPCG(7, 8))
	pool := constants(sampleTerms())
	var texts []string
	for len(texts) < 10_000 {
		if text := randomExpr(r, 1+r.IntN(3), pool); oxigraphCompares(text) {
			texts = append(texts, text)
		}
	}
	command := exec.Command(python, "testdata/oxigraph.py")
	command.Stdin = strings.NewReader(strings.Join(texts, "\n") + "\n")
	command.Stderr = os.Stderr
	output, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSuffix(output, []byte("\n")), []byte("\n"))
	if len(lines) != len(texts) {
		t.Fatalf("%d results for %d expressions", len(lines), len(texts))
	}
	env := newEnv(t)
	compared := 0
	for i, text := range texts {
		p, err := Compile(parseExpr(t, text), nil, env)
		if err != nil || strings.HasPrefix(string(lines[i]), "#") {
			continue
		}
		var out [1]dictionary.ID
		p.IDs(nil, 1, out[:])
		compared++
		if got := env.Terms.Term(out[0]); !sameResult(got, string(lines[i])) {
			t.Errorf("%s: got %v, Oxigraph has %s", text, got, lines[i])
		}
	}
	t.Logf("%d expressions compared", compared)
}

// sameResult compares a term with one in N-Triples, numbers by value.
func sameResult(got rdf.Term, want string) bool {
	if got.String() == want {
		return true
	}
	lexical, datatype, typed := strings.Cut(want, `"^^<`)
	if !typed {
		return false
	}
	other := rdf.NewTyped(strings.TrimPrefix(lexical, `"`), strings.TrimSuffix(datatype, ">"))
	x, y := dictionary.ParseValue(got), dictionary.ParseValue(other)
	return got.Datatype == other.Datatype && (dictionary.Compare(x, y) == dictionary.Equal || x.IsNaN() && y.IsNaN())
}
