package expr

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// valueOfText computes an expression of the variable ?x, which is a text.
func valueOfText(t *testing.T, env *Env, expression, text string) (string, bool) {
	t.Helper()
	p, err := Compile(parseExpr(t, expression), map[string]int{"x": 0}, env)
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	out := make([]dictionary.ID, 1)
	p.IDs([][]dictionary.ID{{env.Terms.ID(rdf.NewString(text))}}, 1, out)
	return env.Terms.Term(out[0]).Value, out[0] != dictionary.None
}

// TestLongTextsAreComputedInPieces as short ones are at once.
func TestLongTextsAreComputedInPieces(t *testing.T) {
	env := newEnv(t)
	long := strings.Repeat("aä€x ", 100_000)
	for expression, want := range map[string]string{
		"UCASE(?x)":                      strings.ToUpper(long),
		"LCASE(UCASE(?x))":               strings.ToLower(strings.ToUpper(long)),
		"ENCODE_FOR_URI(?x)":             strings.Repeat("a%C3%A4%E2%82%ACx%20", 100_000),
		`REPLACE(?x, "ä", "b")`:          strings.ReplaceAll(long, "ä", "b"),
		`REPLACE(?x, "^a", "b")`:         "b" + long[1:],
		`REPLACE(?x, "(x) (a)", "$2$1")`: "aä€" + strings.Repeat("axä€", 99_999) + "x ",
		`REPLACE(?x, "x $", "!")`:        long[:len(long)-2] + "!",
		`REGEX(?x, "x a.*x $")`:          "true",
		`REGEX(?x, "xa")`:                "false",
		`CONTAINS(?x, "xa")`:             "false",
		`STRLEN(STRAFTER(?x, "€"))`:      "499997",
		`STRBEFORE(?x, "€")`:             "aä",
		`SUBSTR(?x, 499999)`:             "x ",
		`SHA1(?x)`:                       "",
	} {
		got, ok := valueOfText(t, env, expression, long)
		if !ok || want != "" && got != want {
			t.Errorf("%s: %.60q… of %d bytes (%v)", expression, got, len(got), ok)
		}
	}
	if env.Err() != nil {
		t.Error(env.Err())
	}
}

// TestReplacingInPiecesIsReplacing, whatever the pattern: matches found one after the other are those found at once.
func TestReplacingInPiecesIsReplacing(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	patterns := []patternKey{{"a", ""}, {"^a", ""}, {"^a", "m"}, {"(a)(b)?", ""}, {"a$", "m"}, {"ab|a", ""}, {"ä+", "i"}, {"(^|b)a", "m"}, {"a.*b", "s"}, {"ab", ""}, {"aa", "q"}, {"Äb", "s"}}
	for range 3000 {
		text := make([]rune, random.IntN(12))
		for i := range text {
			text[i] = []rune("abäÄ\n")[random.IntN(5)]
		}
		for _, key := range patterns {
			p := compilePattern(key)
			want := p.re.FindAllStringSubmatchIndex(string(text), -1)
			var got [][]int
			p.size = 1 + random.IntN(2)*quickMatch // in one go, or read character by character
			if p.size == 1 && len(text) > 0 {
				p.size = quickMatch / len(text) // one match at a time
			}
			p.eachMatch(&run{env: &Env{}}, string(text), func(places []int) bool { got = append(got, slices.Clone(places)); return true })
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("%q %q in %q: matches at %v, want %v", key.pattern, key.flags, string(text), got, want)
			}
		}
	}
}

// TestExpressionsStopWithTheirQuery: each of these would take minutes or gigabytes.
func TestExpressionsStopWithTheirQuery(t *testing.T) {
	text := strings.Repeat("a", 4<<20)
	ended := errors.New("the query has ended")
	for _, expression := range []string{
		`REGEX(?x, "(a|aa|aaa)+b[0-9]{1,500}$")`, `REPLACE(?x, "a.*b|a", "b")`, `REPLACE(?x, "^(a{1,9}b|a)", "b")`,
		`REPLACE(REPLACE(REPLACE(?x, "a", "b"), "b", "a"), "a.*c|a", "b")`,
	} {
		env := newEnv(t)
		began := time.Now()
		env.Ended = func() error {
			if time.Since(began) > 20*time.Millisecond {
				return ended
			}
			return nil
		}
		valueOfText(t, env, expression, text)
		if took := time.Since(began); env.Err() != ended || took > 10*time.Second {
			t.Errorf("%s: ended with %v after %v", expression, env.Err(), took)
		}
	}
}

// TestAStringThatIsTooLongEndsTheQuery: it is no error that COALESCE or FILTER could go on from.
func TestAStringThatIsTooLongEndsTheQuery(t *testing.T) {
	for expression, text := range map[string]string{
		"COALESCE(CONCAT(?x, ?x), 1)":                                       strings.Repeat("a", 40<<20),
		`COALESCE(REPLACE(?x, "a", "` + strings.Repeat("b", 500) + `"), 1)`: strings.Repeat("a", 200<<10),
		"COALESCE(ENCODE_FOR_URI(?x), 1)":                                   strings.Repeat(" ", 30<<20),
	} {
		env := newEnv(t)
		valueOfText(t, env, expression, text)
		if !errors.Is(env.Err(), ErrLong) {
			t.Errorf("%.40s: ended with %v", expression, env.Err())
		}
	}
}

// TestStringsAreCharged as they are made, and given back; what refuses them stops the expression.
func TestStringsAreCharged(t *testing.T) {
	text := strings.Repeat("a", 1<<20)
	env := newEnv(t)
	var held, most int64
	env.Charge = func(bytes int64) error {
		held += bytes
		most = max(most, held)
		return nil
	}
	if _, ok := valueOfText(t, env, "CONCAT(?x, UCASE(?x))", text); !ok || held != 0 || most < 3<<20 {
		t.Errorf("held %d bytes at most, %d at the end", most, held)
	}
	full := errors.New("full")
	env.Charge = func(bytes int64) error {
		if bytes > 0 {
			return full
		}
		return nil
	}
	valueOfText(t, env, `CONCAT(?x, UCASE(?x), "b")`, text)
	if env.Err() != full {
		t.Errorf("ended with %v", env.Err())
	}
}

// TestPatternsThatMultiplyAreRefused: their programs would be huge, and so would the time to compile and run them.
func TestPatternsThatMultiplyAreRefused(t *testing.T) {
	for _, pattern := range []string{"(a{1000}){1000}", strings.Repeat("(a{1000}b)", 30), "((a{50}){50}){50}"} {
		if p := compilePattern(patternKey{pattern: pattern}); p.err == nil {
			t.Errorf("%.40s: a program of %d instructions", pattern, p.size)
		}
	}
	if p := compilePattern(patternKey{pattern: "[a-z]{1,1000}b(c|d){3,20}"}); p.err != nil {
		t.Error(p.err)
	}
}

// TestNothingIsComputedAfterTheEnd: not the rest of a chunk either.
func TestNothingIsComputedAfterTheEnd(t *testing.T) {
	c := newRun(newEnv(t))
	c.env.fail(errors.New("the query has ended"))
	if c.spend(1) || c.makes(1) {
		t.Error("work goes on until the next look")
	}
}

// TestLongNumbersAreCharged, as texts are.
func TestLongNumbersAreCharged(t *testing.T) {
	env := newEnv(t)
	var charged, most int64
	env.Charge = func(bytes int64) error { charged += bytes; most = max(most, charged); return nil }
	factor := strings.Repeat("9", 1000)
	if got, ok := valueOfText(t, env, "STRLEN(STR("+strings.Repeat(factor+" * ", 9)+"xsd:integer(?x)))", factor); !ok || got != "10000" {
		t.Errorf("%s digits (%v), want 10000", got, ok)
	}
	p, err := Compile(parseExpr(t, "xsd:integer(?x) * "+factor), map[string]int{"x": 0}, env)
	if err != nil {
		t.Fatal(err)
	}
	ids := slices.Repeat([]dictionary.ID{env.Terms.ID(rdf.NewString(factor))}, 256)
	p.IDs([][]dictionary.ID{ids}, len(ids), make([]dictionary.ID, len(ids)))
	if most < 256*2000*3/8 || charged != 0 {
		t.Errorf("%d bytes charged at most, want those of 256 numbers of 2,000 digits; %d at the end", most, charged)
	}
}
