package expr

import (
	"fmt"
	"strings"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

const (
	xsdDayTimeDuration = rdf.XSD + "dayTimeDuration"
	secondsPerDay      = 86400
	nowLayout          = "2006-01-02T15:04:05.000Z07:00"
)

// local returns the days since 1970-01-01 and the seconds of the day that a date or time shows in its own zone.
func local(v *dictionary.Value) (days, seconds int64) {
	n := v.Int
	if v.Zone != dictionary.NoZone {
		n += int64(v.Zone) * 60
	}
	days, seconds = n/secondsPerDay, n%secondsPerDay
	if seconds < 0 {
		days, seconds = days-1, seconds+secondsPerDay
	}
	return days, seconds
}

// civil returns the date of a day counted from 1970-01-01, in the proleptic Gregorian calendar: eras of 400 years
// (146,097 days) of years that begin in March.
func civil(days int64) (year, month, day int64) {
	days += 719468
	era := days / 146097
	if days < 0 && days%146097 != 0 {
		era--
	}
	of := days - era*146097
	yearOf := (of - of/1460 + of/36524 - of/146096) / 365
	dayOfYear := of - (365*yearOf + yearOf/4 - yearOf/100)
	m := (5*dayOfYear + 2) / 153
	month = m + 3
	year = yearOf + era*400
	if month > 12 {
		month, year = month-12, year+1
	}
	return year, month, dayOfYear - (153*m+2)/5 + 1
}

// hasDate and hasTime say what a kind of value shows.
func hasDate(k dictionary.ValueKind) bool { return k == dictionary.DateTime || k == dictionary.Date }
func hasTime(k dictionary.ValueKind) bool { return k == dictionary.DateTime || k == dictionary.Time }

// part is YEAR, MONTH, DAY, HOURS or MINUTES. Beside dateTime they take the types that have the part.
func part(of func(*dictionary.Value) (int64, bool)) function {
	return func(c *run, a []*datum, out *datum) {
		if n, ok := of(c.valueOf(a[0])); ok {
			out.setInt(n)
		}
	}
}

func yearOf(v *dictionary.Value) (int64, bool) {
	days, _ := local(v)
	y, _, _ := civil(days)
	return y, hasDate(v.Kind) || v.Kind == dictionary.GYear || v.Kind == dictionary.GYearMonth
}

func monthOf(v *dictionary.Value) (int64, bool) {
	days, _ := local(v)
	_, m, _ := civil(days)
	return m, hasDate(v.Kind) || v.Kind == dictionary.GYearMonth
}

func dayOf(v *dictionary.Value) (int64, bool) {
	days, _ := local(v)
	_, _, d := civil(days)
	return d, hasDate(v.Kind)
}

func hoursOf(v *dictionary.Value) (int64, bool) {
	_, seconds := local(v)
	return seconds / 3600, hasTime(v.Kind)
}

func minutesOf(v *dictionary.Value) (int64, bool) {
	_, seconds := local(v)
	return seconds / 60 % 60, hasTime(v.Kind)
}

// secondsOf is SECONDS, an xsd:decimal.
func secondsOf(c *run, a []*datum, out *datum) {
	v := c.valueOf(a[0])
	if hasTime(v.Kind) {
		_, seconds := local(v)
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
	days, seconds := local(v)
	var b strings.Builder
	if kind != dictionary.Time {
		writeDate(&b, days, kind)
	}
	if kind == dictionary.DateTime {
		b.WriteByte('T')
	}
	if hasTime(kind) {
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
	year, month, day := civil(days)
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
