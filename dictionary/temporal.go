package dictionary

// parseTemporal reads dateTime, date, time, gYear and gYearMonth (XSD 1.1 part 2, section 3.3).
func parseTemporal[T string | []byte](v *Value, s T) bool {
	p := temporalParser[T]{rest: s, ok: true, month: 1, day: 1}
	switch v.Kind {
	case DateTime:
		p.date()
		p.literal('T')
		p.time()
	case Date:
		p.date()
	case Time:
		p.time()
	case GYear:
		p.readYear()
	case GYearMonth:
		p.readYear()
		p.literal('-')
		p.month = p.number(2, 1, 12)
	}
	v.Zone = p.zone()
	if !p.ok || len(p.rest) != 0 {
		return false
	}
	v.Int, v.Nanos = p.seconds, p.nanos
	if v.Kind != Time {
		v.Int += daysFromCivil(p.year, p.month, p.day) * secondsPerDay
	} else {
		v.Int %= secondsPerDay // 24:00:00 is midnight
	}
	if v.Zone != NoZone {
		v.Int -= int64(v.Zone) * 60
	}
	return true
}

const (
	secondsPerDay = 86400
	maxYear       = 200_000_000_000 // its seconds fit 63 bits
)

// temporalParser reads from the front of rest; ok turns false at the first fault.
type temporalParser[T string | []byte] struct {
	rest             T
	ok               bool
	year, month, day int64
	seconds          int64
	nanos            uint32
}

func (p *temporalParser[T]) literal(c byte) {
	if !p.next(c) {
		p.ok = false
	}
}

// next reads c when it is there.
func (p *temporalParser[T]) next(c byte) bool {
	if len(p.rest) == 0 || p.rest[0] != c {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

// number reads n digits, of a number from low to high.
func (p *temporalParser[T]) number(n int, low, high int64) int64 {
	if len(p.rest) < n || digits(p.rest[:n]) != n {
		p.ok = false
		return low
	}
	x := int64(0)
	for i := 0; i < n; i++ {
		x = x*10 + int64(p.rest[i]-'0')
	}
	p.rest = p.rest[n:]
	if x < low || x > high {
		p.ok = false
		return low
	}
	return x
}

func (p *temporalParser[T]) readYear() {
	negative := p.next('-')
	n := digits(p.rest)
	if n < 4 || n > 12 || n > 4 && p.rest[0] == '0' {
		p.ok = false
		return
	}
	p.year = p.number(n, 0, maxYear)
	if negative {
		p.year = -p.year
	}
}

func (p *temporalParser[T]) date() {
	p.readYear()
	p.literal('-')
	p.month = p.number(2, 1, 12)
	p.literal('-')
	p.day = p.number(2, 1, daysInMonth(p.year, p.month))
}

func (p *temporalParser[T]) time() {
	hour := p.number(2, 0, 24)
	p.literal(':')
	minute := p.number(2, 0, 59)
	p.literal(':')
	second := p.number(2, 0, 59)
	if p.next('.') {
		p.fraction()
	}
	if hour == 24 && (minute != 0 || second != 0 || p.nanos != 0) {
		p.ok = false
	}
	p.seconds = hour*3600 + minute*60 + second
}

func (p *temporalParser[T]) fraction() {
	n := digits(p.rest)
	if n == 0 {
		p.ok = false
	}
	for i := 0; i < 9; i++ {
		p.nanos *= 10
		if i < n {
			p.nanos += uint32(p.rest[i] - '0')
		}
	}
	p.rest = p.rest[n:]
}

func (p *temporalParser[T]) zone() int16 {
	if p.next('Z') {
		return 0
	}
	sign := int64(1)
	switch {
	case p.next('+'):
	case p.next('-'):
		sign = -1
	default:
		return NoZone
	}
	hours := p.number(2, 0, 14)
	p.literal(':')
	minutes := p.number(2, 0, 59)
	if hours == 14 && minutes != 0 {
		p.ok = false
	}
	return int16(sign * (hours*60 + minutes))
}

func daysInMonth(year, month int64) int64 {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// daysFromCivil is the number of days from 1970-01-01 to a date of the proleptic Gregorian calendar. Years are counted
// from March, so that the leap day is the last of its year, in eras of 400 years (146,097 days).
func daysFromCivil(year, month, day int64) int64 {
	if month <= 2 {
		year--
	}
	era := year / 400
	if year < 0 && year%400 != 0 {
		era--
	}
	yearOfEra := year - era*400
	dayOfYear := (153*((month+9)%12)+2)/5 + day - 1
	dayOfEra := yearOfEra*365 + yearOfEra/4 - yearOfEra/100 + dayOfYear
	return era*146097 + dayOfEra - 719468
}
