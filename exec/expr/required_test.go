package expr

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/dictionary"
)

func TestRequiredTextIsInEveryMatch(t *testing.T) {
	cases := []struct {
		pattern, flags, text string
		fold                 bool
	}{
		{"truman", "", "truman", false},
		{"Truman", "i", "truman", true},
		{"ask", "i", "a", true},
		{"^lib.*-perl$", "", "-perl", false},
		{"(abc)+d?", "", "abc", false},
		{"a|b", "", "", false},
		{"(abc)*", "", "", false},
		{"k", "i", "", false},
		{"größe", "i", "gr", true},
		{"a.b", "q", "a.b", false},
	}
	for _, c := range cases {
		p := compilePattern(patternKey{c.pattern, c.flags})
		if p.err != nil || p.need.text != c.text || p.need.fold != c.fold {
			t.Errorf("%q %q requires %q (fold %v), not %q (%v)", c.pattern, c.flags, p.need.text, p.need.fold, c.text, c.fold)
		}
	}
}

func TestRequiredTextChangesNoAnswer(t *testing.T) {
	patterns := []patternKey{{"ab", "i"}, {"^a.*b", ""}, {"ask", "i"}, {"(ab|ba)a", "i"}, {"a+b", ""}, {"ſ", "i"}, {"bä", "i"}}
	letters := []rune("aAbBkKsSſ\u212aäÄ\n")
	random := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		text := make([]rune, random.IntN(8))
		for i := range text {
			text[i] = letters[random.IntN(len(letters))]
		}
		for _, key := range patterns {
			p := compilePattern(key)
			if got, want := p.match(&run{env: &Env{}}, string(text)), p.re.MatchString(string(text)); got != want {
				t.Fatalf("%q %q on %q: %v, not %v", key.pattern, key.flags, string(text), got, want)
			}
		}
	}
}

func TestTextsAreFoundInAnyCaseWhereverTheyLie(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	letters := []rune("aAbB@`'-1\n\ufffdé")
	draw := func(n int) string {
		text := make([]rune, n)
		for i := range text {
			text[i] = letters[random.IntN(len(letters))]
		}
		return string(text)
	}
	lower := func(s string) string {
		return strings.Map(func(r rune) rune {
			if 'A' <= r && r <= 'Z' {
				r += 'a' - 'A'
			}
			return r
		}, s)
	}
	for range 50000 {
		part := lower(strings.Trim(draw(1+random.IntN(6)), "\ufffdé"))
		if part == "" || strings.ContainsAny(part, "\ufffdé") {
			continue
		}
		text := draw(random.IntN(40))
		if got, want := indexFold(text, part), strings.Index(lower(text), part); got != want {
			t.Fatalf("%q is at %d of %q, not at %d", part, want, text, got)
		}
	}
}

func TestMemoryForgetsButNeverMixesUp(t *testing.T) {
	var m memory[int]
	if m.find(dictionary.None) != nil {
		t.Fatal("an empty memory knows the unbound ID")
	}
	random := rand.New(rand.NewPCG(3, 4))
	for range 100000 {
		id := dictionary.ID(random.Uint32N(20000))
		if random.IntN(100) == 0 {
			id = dictionary.None
		}
		if r := m.find(id); r != nil && *r != int(id)*7 {
			t.Fatalf("ID %d has the result of another: %d", id, *r)
		}
		m.remember(id, int(id)*7)
	}
	if len(m.keys) > lastMemory {
		t.Fatalf("%d places", len(m.keys))
	}
}
