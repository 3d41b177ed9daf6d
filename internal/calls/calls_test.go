package calls

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// finish reads a call to its end.
func finish(t testing.TB, c *Call) (told []string, rows int64, end Event) {
	t.Helper()
	defer c.Close()
	for {
		switch e := c.Wait(time.Minute); e.Kind {
		case Pending:
			t.Fatal("nothing happened for a minute")
		case Told, Bytes:
			told = append(told, string(e.Text))
		case Rows:
			rows += e.Records.NumRows()
			e.Records.Release()
		default:
			return told, rows, e
		}
	}
}

// ask runs a call whose members are given by name.
func ask(t testing.TB, e *Engine, method string, members ...any) (told []string, rows int64, end Event) {
	t.Helper()
	return finish(t, e.Start(requestText(t, method, members...)))
}

func requestText(t testing.TB, method string, members ...any) []byte {
	t.Helper()
	r := map[string]any{"method": method}
	for i := 0; i < len(members); i += 2 {
		r[members[i].(string)] = members[i+1]
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// do is ask for a call that must succeed.
func do[T any](t testing.TB, e *Engine, method string, members ...any) (result T) {
	t.Helper()
	_, _, end := ask(t, e, method, members...)
	if end.Kind != Done {
		t.Fatalf("%s: %s", method, end.Text)
	}
	if err := json.Unmarshal(end.Text, &result); err != nil {
		t.Fatal(err)
	}
	return result
}

// failing is the failure that a call must end with.
func failing(t testing.TB, e *Engine, method string, members ...any) (f Failure) {
	t.Helper()
	_, _, end := ask(t, e, method, members...)
	if end.Kind != Failed {
		t.Fatalf("%s did not fail: %s", method, end.Text)
	}
	if err := json.Unmarshal(end.Text, &f); err != nil {
		t.Fatal(err)
	}
	return f
}

// opened makes an engine with a writable store of n triples; the engine must have given back its memory at the end.
func openedStore(t *testing.T, n int) (*Engine, uint64) {
	t.Helper()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	t.Cleanup(func() { mem.AssertSize(t, 0) })
	e := New(mem)
	store := do[storeNumber](t, e, "open", "path", filepath.Join(t.TempDir(), "s"), "create", true, "writable", true).Store
	t.Cleanup(func() { do[any](t, e, "close", "store", store) })
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "<http://e/%d> <http://e/p> %q .\n", i, fmt.Sprint("v", i))
	}
	do[any](t, e, "put", "store", store, "data", []byte(text.String()), "format", "ntriples")
	return e, store
}

func TestRowsAndTheirEndAreTold(t *testing.T) {
	e, store := openedStore(t, 1000)
	told, rows, end := ask(t, e, "query", "store", store, "text", "SELECT ?s ?o { ?s <http://e/p> ?o ; <http://e/q> ?x }")
	if end.Kind != Done || rows != 0 || !strings.Contains(told[0], `"variables":["s","o"]`) || !strings.Contains(told[0], "no triple has the predicate") {
		t.Error(told, rows, string(end.Text))
	}
	if _, rows, end := ask(t, e, "query", "store", store, "text", "SELECT * { ?s ?p ?o }"); rows != 1000 || !strings.Contains(string(end.Text), `"rows":1000`) {
		t.Error(rows, string(end.Text))
	}
	if _, _, end := ask(t, e, "query", "store", store, "text", "ASK { ?s ?p 'v7' }"); !strings.Contains(string(end.Text), `"boolean":true`) {
		t.Error(string(end.Text))
	}
	if told, _, _ := ask(t, e, "query", "store", store, "text", "SELECT ?o { <http://e/7> ?p ?o }", "format", "csv"); strings.Join(told[1:], "") != "o\r\nv7\r\n" {
		t.Error(told)
	}
	if told, _, _ := ask(t, e, "dump", "store", store); strings.Count(strings.Join(told, ""), "\n") != 1000 {
		t.Error("a dump is not of 1000 lines")
	}
}

func TestFailuresSayTheirKindAndPlace(t *testing.T) {
	e, store := openedStore(t, 1)
	if f := failing(t, e, "query", "store", store, "text", "SELECT * {\n ?s ?p }"); f.Kind != "syntax" || f.Line != 2 || f.Column != 8 || len(f.Expected) == 0 {
		t.Errorf("%+v", f)
	}
	if f := failing(t, e, "put", "store", store, "data", []byte("<a> <b> .\n"), "format", "turtle"); f.Kind != "data" || f.Line != 1 {
		t.Errorf("%+v", f)
	}
	missing := filepath.Join(t.TempDir(), "none")
	for kind, text := range map[string][]byte{
		"request":   []byte("{"),
		"closed":    requestText(t, "query", "store", 99, "text", "ASK {}"),
		"not-store": requestText(t, "open", "path", missing),
		"not-found": requestText(t, "load", "path", missing, "files", []string{missing + ".nt"}),
		"format":    requestText(t, "query", "store", store, "text", "ASK {}", "format", "docx"),
		"no-graph":  requestText(t, "update", "store", store, "text", "DROP GRAPH <http://e/none>"),
		"timeout":   requestText(t, "query", "store", store, "text", "SELECT * { ?a ?b ?c }", "timeout", 1e-9),
		"limit":     requestText(t, "query", "store", store, "text", "SELECT * { VALUES ?x { 1 2 3 } }", "maxRows", 2),
	} {
		_, _, end := finish(t, e.Start(text))
		var f Failure
		if _ = json.Unmarshal(end.Text, &f); end.Kind != Failed || f.Kind != kind {
			t.Errorf("%s: %s", text, end.Text)
		}
	}
	for _, method := range []string{"", "nothing"} {
		if f := failing(t, e, method); f.Kind != "request" {
			t.Errorf("%+v", f)
		}
	}
}

func TestAPanicEndsItsCallAlone(t *testing.T) {
	methods["panic"] = func(*Call, []byte) (any, error) { panic("oh") }
	defer delete(methods, "panic")
	if f := failing(t, New(memory.DefaultAllocator), "panic"); f.Kind != "internal" || !strings.Contains(f.Message, "oh") {
		t.Errorf("%+v", f)
	}
}

// endless has far more solutions than anybody waits for.
const endless = "SELECT * { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f . ?g ?s ?h }"

func TestCallsEndWhenTheyAreCancelledOrTheirStoreIsClosed(t *testing.T) {
	e, store := openedStore(t, 1000)
	for _, text := range []string{endless, "SELECT (COUNT(*) AS ?n) { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f FILTER(STR(?b) = CONCAT(STR(?d), STR(?f))) }"} {
		c := e.Start(requestText(t, "query", "store", store, "text", text))
		if e := c.Wait(time.Minute); e.Kind != Told {
			t.Fatal(string(e.Text))
		}
		c.Cancel()
		if _, _, end := finish(t, c); !strings.Contains(string(end.Text), `"kind":"cancelled"`) {
			t.Error(string(end.Text))
		}
		e.Start(requestText(t, "query", "store", store, "text", text)).Close() // what nobody reads
	}
	c := e.Start(requestText(t, "query", "store", store, "text", endless))
	if e := c.Wait(time.Minute); e.Kind != Told {
		t.Fatal(string(e.Text))
	}
	do[any](t, e, "close", "store", store)
	if _, _, end := finish(t, c); !strings.Contains(string(end.Text), `"kind":"closed"`) {
		t.Error(string(end.Text))
	}
	do[any](t, e, "close", "store", store) // again
}

func TestAFileIsPutIntoAGraph(t *testing.T) {
	e, store := openedStore(t, 0)
	file := filepath.Join(t.TempDir(), "x.ttl")
	if err := os.WriteFile(file, []byte("<a> <b> <c> , [] .\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := do[struct{ Added int }](t, e, "put", "store", store, "file", file, "graph", "http://e/g"); r.Added != 2 {
		t.Error(r)
	}
	if err := os.WriteFile(file, []byte("<a> <b> <c> .\n<a> <b> .\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if f := failing(t, e, "put", "store", store, "file", file); f.Kind != "data" || f.Line != 2 || f.File != file {
		t.Errorf("%+v", f)
	}
	if f := failing(t, e, "put", "store", store, "file", file+".gz"); f.Kind != "not-found" {
		t.Errorf("%+v", f)
	}
}

// FuzzStart must answer whatever it is sent.
func FuzzStart(f *testing.F) {
	f.Add([]byte(`{"method":"query","store":1,"text":"ASK {}"}`))
	f.Add([]byte(`{"method":"put","store":1,"data":"?"}`))
	f.Add([]byte(`{"method":"schema","store":-1,"limit":1e99}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var r struct{ Method string }
		if _ = json.Unmarshal(text, &r); strings.EqualFold(r.Method, "load") || strings.EqualFold(r.Method, "open") || strings.EqualFold(r.Method, "compact") {
			t.Skip("would touch files")
		}
		if _, _, end := finish(t, New(memory.DefaultAllocator).Start(text)); end.Kind != Done && end.Kind != Failed {
			t.Error(end)
		}
	})
}
