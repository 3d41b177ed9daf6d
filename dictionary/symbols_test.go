package dictionary

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

func TestSymbolsGiveBackEveryText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.SliceOfN(rapid.ByteRange('a', 'f'), 0, 40), 1, 50).Draw(t, "texts")
		strange := rapid.SliceOfN(rapid.Byte(), 0, 60).Draw(t, "strange")
		coder := trainSymbols(texts)
		table := viewSymbols(coder.table())
		for _, text := range append(texts, strange, nil) {
			codes := coder.append(nil, text)
			if got := appendSymbols([]byte("x"), codes, table); string(got) != "x"+string(text) {
				t.Fatalf("%q became %q", text, got)
			}
		}
	})
}

// Strings enough for several tables, some without prefixes, some long, some with bytes that no symbol covers.
func TestManyStrings(t *testing.T) {
	words := strings.Fields("university department student professor publication course teaches advisor member of the and takes name email telephone")
	rng := rand.New(rand.NewPCG(5, 5))
	all := make(map[rdf.Term]bool)
	for i := range 70_000 {
		var b strings.Builder
		for range 1 + rng.IntN(30) {
			fmt.Fprintf(&b, "%s ", words[rng.IntN(len(words))])
		}
		switch i % 50 {
		case 0:
			fmt.Fprintf(&b, "\n\"%d", rng.Uint64())
		case 1:
			b.WriteByte(byte(rng.Uint32()))
		case 2:
			b.WriteString(strings.Repeat("long ", rng.IntN(100)))
		}
		term := rdf.NewString(b.String())
		if i%7 == 0 {
			term = rdf.NewLangString(b.String(), "en")
		}
		all[term] = true
	}
	var terms []rdf.Term
	for term := range all {
		terms = append(terms, term)
	}
	d, err := FromTerms(terms)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(d.base.symbols) / symbolTableLen; n < 2 {
		t.Fatalf("%d symbol tables", n)
	}
	checkAgainst(t, d, all)
	text := 0
	for _, term := range terms {
		text += len(term.Value)
	}
	if len(d.base.blocks) > text*2/3 {
		t.Fatalf("%d bytes of text became %d", text, len(d.base.blocks))
	}
}

func TestDaysAreThoseOfTheCalendar(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for range 100_000 {
		year, month, day := rng.IntN(20_000)-5_000, time.Month(1+rng.IntN(12)), 1+rng.IntN(28)
		want := time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix()
		if got := daysFromCivil(int64(year), int64(month), int64(day)) * secondsPerDay; got != want {
			t.Fatalf("%d-%d-%d: %d, want %d", year, month, day, got, want)
		}
	}
	for year := int64(1800); year < 2500; year++ {
		last := time.Date(int(year), 3, 0, 0, 0, 0, 0, time.UTC).Day()
		if got := daysInMonth(year, 2); got != int64(last) {
			t.Fatalf("February %d has %d days, want %d", year, got, last)
		}
	}
}

func TestBlocksOfAnySizeAndLength(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for range 3000 {
		n := 1 + rng.IntN(blockTerms)
		limit := []int{3, 200, 300, 70_000}[rng.IntN(4)]
		if limit == 70_000 && rng.IntN(10) > 0 {
			limit = 30
		}
		var texts [][]byte
		var b blockBuilder
		for i := range n {
			text := bytes.Repeat([]byte("ab"), rng.IntN(limit)/2)
			text = append(text, byte(rng.Uint32()))
			if i > 0 && rng.IntN(2) == 0 {
				text = append(bytes.Clone(texts[0]), text...)
			}
			texts = append(texts, text)
			b.add(text, &literalEscapes)
		}
		block := b.appendTo(nil)
		for i, text := range texts {
			prefix, suffix, ok := blockText(block, i, n)
			if got := string(prefix) + string(suffix); !ok || got != string(text) {
				t.Fatalf("text %d of %d: %q, want %q", i, n, got, text)
			}
		}
	}
}
