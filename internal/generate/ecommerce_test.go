package generate

import (
	"bytes"
	"context"
	"maps"
	"slices"
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

// spread is how the triples of a predicate lie over its objects.
type spread struct {
	objects             int // different ones
	most, tenth, median int // triples of the object with the most, of the one that a tenth exceed, of the middle one
}

// originalSpreads are those of WatDiv 0.6 at scale factor 10.
var originalSpreads = map[string]spread{
	wsdbm + "follows": {9227, 589, 59, 46}, wsdbm + "friendOf": {10000, 69, 53, 45}, wsdbm + "likes": {2397, 541, 7, 2},
	wsdbm + "purchaseFor": {1905, 1776, 10, 2}, wsdbm + "subscribes": {500, 56, 37, 29}, wsdbm + "hasGenre": {142, 115, 92, 33},
	revNS + "reviewer": {3062, 13, 8, 5}, grNS + "offers": {5078, 120, 3, 1}, dcNS + "Location": {238, 640, 26, 4},
	schemaNS + "eligibleRegion": {25, 3445, 1645, 452}, schemaNS + "nationality": {25, 542, 182, 42}, foafNS + "age": {9, 1305, 1305, 368},
	schemaNS + "birthDate": {1827, 3, 1, 1}, grNS + "validFrom": {171, 36, 28, 21}, grNS + "validThrough": {121, 45, 37, 31},
	ogNS + "tag": {250, 100, 69, 60}, foafNS + "familyName": {1748, 11, 7, 4},
}

func TestCommerceHasTheDegreesOfWatDiv(t *testing.T) {
	var b bytes.Buffer
	if _, err := (Commerce{Scale: 10, Seed: 3}).WriteNTriples(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	degrees := map[string]map[string]int{}
	for line := range strings.Lines(b.String()) {
		fields := strings.SplitN(line, " ", 3)
		predicate := strings.Trim(fields[1], "<>")
		if degrees[predicate] == nil {
			degrees[predicate] = map[string]int{}
		}
		degrees[predicate][fields[2]]++
	}
	for predicate, want := range originalSpreads {
		all := slices.Sorted(maps.Values(degrees[predicate]))
		n := len(all)
		got := spread{n, all[n-1], all[n-1-n/10], all[n-1-n/2]}
		for _, pair := range [][2]int{{got.objects, want.objects}, {got.most, want.most}, {got.tenth, want.tenth}, {got.median, want.median}} {
			if got, want := float64(pair[0]), float64(pair[1]); got < 0.75*want-1.5 || got > 1.3*want+1.5 {
				t.Errorf("%s: %v, the original has %v", predicate, pair[0], pair[1])
			}
		}
	}
}
