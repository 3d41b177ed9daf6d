package generate

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// original are counts of WatDiv 0.6 at scale factor 10: triples by predicate, for the predicates that matter most.
var original = map[string]int{
	wsdbm + "friendOf": 446952, wsdbm + "follows": 328267, revNS + "reviewer": 15000, revNS + "hasReview": 14943,
	wsdbm + "likes": 11116, wsdbm + "makesPurchase": 15000, wsdbm + "subscribes": 14807, grNS + "offers": 11952,
	schemaNS + "eligibleRegion": 18032, ogNS + "tag": 15101, wsdbm + "hasGenre": 5875, schemaNS + "actor": 1782,
	grNS + "price": 24000, dcNS + "Location": 3977,
}

func TestCommerceHasTheProportionsOfWatDiv(t *testing.T) {
	var b bytes.Buffer
	total, err := Commerce{Scale: 10, Seed: 3}.WriteNTriples(context.Background(), &b)
	if err != nil {
		t.Fatal(err)
	}
	counts, seen := map[string]int{}, map[string]bool{}
	for line := range strings.Lines(b.String()) {
		if seen[line] {
			t.Fatalf("twice: %s", line)
		}
		seen[line] = true
		fields := strings.SplitN(line, " ", 3)
		counts[strings.Trim(fields[1], "<>")]++
	}
	if uint64(len(seen)) != total || total < 1_000_000 || total > 1_180_000 {
		t.Errorf("%d triples, %d lines; the original has 1,089,043", total, len(seen))
	}
	for predicate, want := range original {
		if r := float64(counts[predicate]) / float64(want); r < 0.85 || r > 1.15 {
			t.Errorf("%s: %d triples, the original has %d", predicate, counts[predicate], want)
		}
	}
	if len(counts) != 86 {
		t.Errorf("%d predicates, the original has 86", len(counts))
	}
}
