package dictionary

import (
	"fmt"
	"slices"
	"testing"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"pgregory.net/rapid"
)

// TestYearRange: what lies in the ranges of some years, by the year that texts begin with.
func TestYearRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		years := map[rdf.Term]int64{}
		var terms []rdf.Term
		for range rapid.IntRange(1, 30).Draw(t, "terms") {
			year := rapid.Int64Range(1997, 2003).Draw(t, "year")
			zone := rapid.SampledFrom([]string{"", "", "Z", "+14:00", "-14:00", "-05:00"}).Draw(t, "zone")
			day := rapid.SampledFrom([]string{"-01-01", "-12-31", "-06-15"}).Draw(t, "day")
			term := rapid.SampledFrom([]rdf.Term{
				rdf.NewTyped(fmt.Sprintf("%04d%s%s", year, day, zone), rdf.XSD+"date"), rdf.NewTyped(fmt.Sprintf("%04d%sT00:00:00%s", year, day, zone), rdf.XSD+"dateTime"),
				rdf.NewTyped(fmt.Sprintf("%04d%sT23:59:59.5%s", year, day, zone), rdf.XSD+"dateTime"), rdf.NewTyped(fmt.Sprintf("%04d%s", year, zone), rdf.XSD+"gYear"),
				rdf.NewTyped("10:00:00"+zone, rdf.XSD+"time"), rdf.NewTyped(fmt.Sprint(year), rdf.XSD+"integer"),
			}).Draw(t, "term")
			if !slices.Contains(terms, term) {
				terms = append(terms, term)
			}
			if v := ParseValue(term); v.IsTemporal() && v.Kind != Time {
				years[term] = year
			}
		}
		d, err := FromTerms(terms)
		if err != nil {
			t.Fatal(err)
		}
		year := rapid.SampledFrom([]int64{-1 << 63, 1998, 1999, 2000, 2001, 1<<63 - 1})
		low, high := year.Draw(t, "low"), year.Draw(t, "high")
		ranges, exact := d.YearRange(low, high)
		for id := range d.Ordered() {
			in := slices.ContainsFunc(ranges, func(r Range) bool { return r.Contains(id) })
			term := d.Term(id)
			of, has := years[term]
			want := has && low <= of && of <= high
			if d.Value(id).IsInYears(low, high) != want {
				t.Fatalf("%s is in the years %d to %d: %t", term.String(), low, high, !want)
			}
			if want && !in || exact && in && !want {
				t.Fatalf("%s is in %v of years %d to %d: %t, exact %t", term.String(), ranges, low, high, in, exact)
			}
		}
	})
}
