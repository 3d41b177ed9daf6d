package expr

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

const (
	xsdDayTimeDuration = rdf.XSD + "dayTimeDuration"
	nowLayout          = "2006-01-02T15:04:05.000Z07:00"
)

// part is what a date or time shows.
type part struct {
	of   node
	part dictionary.Part
}

func (n *part) eval(c *run, rows []uint32, out []datum) { evalNumbers(n, c, rows, out) }

func (n *part) numbers(c *run, rows []uint32, out *numbers) {
	if v, ok := n.of.(*column); ok && c.env.Dictionary != nil && len(rows) > 0 {
		n.ofColumn(c, c.cols[v.index], rows, out)
	} else {
		data := c.take()[:len(rows)]
		n.of.eval(c, rows, data)
		for i := range data {
			n.set(c, i, &data[i], out)
		}
		c.dataTop--
	}
	if out.survey(); !c.spend(rowWork * len(rows)) {
		out.fail()
	}
}

// ofColumn is numbers of a variable. Runs of one ID are common: rows come in the order of the graph's lists.
func (n *part) ofColumn(c *run, col []dictionary.ID, rows []uint32, out *numbers) {
	ids := c.idsOf(col, rows)
	c.runIDs = append(c.runIDs[:0], ids[0])
	for i := 1; i < len(ids); i++ {
		if ids[i] != ids[i-1] {
			c.runIDs = append(c.runIDs, ids[i])
		}
	}
	c.kinds = slices.Grow(c.kinds[:0], len(c.runIDs))
	kinds := c.kinds[:len(c.runIDs)]
	c.env.Dictionary.Moments(c.runIDs, out.units, kinds)
	for i, kind := range kinds {
		if kind == dictionary.NoValue {
			var d datum
			d.setID(c.runIDs[i])
			n.set(c, i, &d, out)
			continue
		}
		v := dictionary.Value{Kind: kind, Zone: dictionary.NoZone, Int: out.units[i]}
		n.put(i, &v, out)
	}
	if k := len(c.runIDs) - 1; k < len(ids)-1 {
		for i := len(ids) - 1; i > 0; i-- {
			if out.setUnits(i, out.classes[k], out.units[k]); ids[i] != ids[i-1] {
				k--
			}
		}
	}
}

func (n *part) set(c *run, i int, d *datum, out *numbers) {
	if d.ok() {
		n.put(i, c.valueOf(d), out)
		return
	}
	out.setUnits(i, isFailed, 0)
}

func (n *part) put(i int, v *dictionary.Value, out *numbers) {
	if units, ok := v.Part(n.part); ok {
		out.setUnits(i, isInteger, units)
		return
	}
	out.setUnits(i, isFailed, 0)
}

// secondsOf is SECONDS, an xsd:decimal.
func secondsOf(c *run, a []*datum, out *datum) {
	v := c.valueOf(a[0])
	if v.Kind.HasTime() {
		_, seconds := v.LocalDay()
		out.setValue(compact(dictionary.Decimal, seconds%60*1e9+int64(v.Nanos), 9))
	}
}

// timezone is TIMEZONE, an xsd:dayTimeDuration; an error without a zone.
func timezone(c *run, a []*datum, out *datum) {
	v := c.valueOf(a[0])
	if !v.IsTemporal() || v.Zone == dictionary.NoZone {
		return
	}
	minutes, sign := int(v.Zone), ""
	if minutes < 0 {
		minutes, sign = -minutes, "-"
	}
	s := sign + "PT"
	if minutes >= 60 {
		s += fmt.Sprintf("%dH", minutes/60)
	}
	if minutes%60 != 0 {
		s += fmt.Sprintf("%dM", minutes%60)
	}
	if minutes == 0 {
		s += "0S"
	}
	out.setTerm(rdf.NewTyped(s, xsdDayTimeDuration))
}

// tz is TZ: the zone as written.
func tz(c *run, a []*datum, out *datum) {
	v := c.valueOf(a[0])
	switch {
	case !v.IsTemporal():
	case v.Zone == dictionary.NoZone:
		out.setString("")
	default:
		s := c.termOf(a[0]).Value
		if strings.HasSuffix(s, "Z") {
			out.setString("Z")
		} else {
			out.setString(s[len(s)-len("+00:00"):])
		}
	}
}

func now(c *run, _ []*datum, out *datum) {
	out.setTerm(rdf.NewTyped(c.env.Now.Format(nowLayout), rdf.XSDDateTime))
}

// temporalText writes a date or time in canonical form (XSD 1.1 part 2, appendix E.3) as a value of a kind whose parts it
// has: midnight is 00:00:00, no zero ends the fraction of a second, the zone of UTC is Z. The fraction is that of the
// literal's text, which may have more digits than the value.
func temporalText(v *dictionary.Value, kind dictionary.ValueKind, text string) string {
	days, seconds := v.LocalDay()
	var b strings.Builder
	if kind != dictionary.Time {
		writeDate(&b, days, kind)
	}
	if kind == dictionary.DateTime {
		b.WriteByte('T')
	}
	if kind.HasTime() {
		fmt.Fprintf(&b, "%02d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
		if f := fraction(text); f != "" {
			b.WriteString("." + f)
		}
	}
	switch zone, sign := v.Zone, '+'; {
	case zone == dictionary.NoZone:
	case zone == 0:
		b.WriteByte('Z')
	default:
		if zone < 0 {
			zone, sign = -zone, '-'
		}
		fmt.Fprintf(&b, "%c%02d:%02d", sign, zone/60, zone%60)
	}
	return b.String()
}

// writeDate writes as much of a day as a kind of value has.
func writeDate(b *strings.Builder, days int64, kind dictionary.ValueKind) {
	year, month, day := dictionary.Civil(days)
	if year < 0 {
		year = -year
		b.WriteByte('-')
	}
	fmt.Fprintf(b, "%04d", year)
	if kind == dictionary.GYear {
		return
	}
	fmt.Fprintf(b, "-%02d", month)
	if kind != dictionary.GYearMonth {
		fmt.Fprintf(b, "-%02d", day)
	}
}

// fraction is the digits of the fraction of a second, without zeros at their end.
func fraction(text string) string {
	_, digits, _ := strings.Cut(text, ".")
	if end := strings.IndexAny(digits, "Z+-"); end >= 0 {
		digits = digits[:end]
	}
	return strings.TrimRight(digits, "0")
}
