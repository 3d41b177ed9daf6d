package dictionary

import "slices"

// Part is what dates and times show of themselves: YEAR, MONTH, DAY, HOURS and MINUTES (SPARQL 1.1, 17.4.5).
type Part uint8

// The parts; 0 is none.
const (
	Year Part = 1 + iota
	Month
	Day
	Hours
	Minutes
)

var partFunctions = [...]string{"", "YEAR", "MONTH", "DAY", "HOURS", "MINUTES"}

// PartOf is the part that a function of SPARQL gives; 0 of others.
func PartOf(function string) Part { return Part(max(0, slices.Index(partFunctions[:], function))) }

// String is the function that gives the part.
func (p Part) String() string { return partFunctions[p] }

// Local is what a date or time shows in its own zone: Int without the zone.
func (v Value) Local() int64 {
	if v.Zone == NoZone {
		return v.Int
	}
	return v.Int + int64(v.Zone)*60
}

// LocalDay is Local as days since 1970-01-01 and seconds of the day.
func (v *Value) LocalDay() (days, seconds int64) {
	n := v.Local()
	days, seconds = n/secondsPerDay, n%secondsPerDay
	if seconds < 0 {
		days, seconds = days-1, seconds+secondsPerDay
	}
	return days, seconds
}

// HasDate and HasTime say what a kind of value shows.
func (k ValueKind) HasDate() bool { return k == DateTime || k == Date }

// HasTime is HasDate of the time of the day.
func (k ValueKind) HasTime() bool { return k == DateTime || k == Time }

// Part is a part of a date or time in its own zone. Beside dateTime the types have those that they show.
func (v *Value) Part(of Part) (n int64, ok bool) {
	days, seconds := v.LocalDay()
	switch of {
	case Hours:
		return seconds / 3600, v.Kind.HasTime()
	case Minutes:
		return seconds / 60 % 60, v.Kind.HasTime()
	}
	year, month, day := Civil(days)
	switch of {
	case Year:
		return year, v.Kind.HasDate() || v.Kind == GYear || v.Kind == GYearMonth
	case Month:
		return month, v.Kind.HasDate() || v.Kind == GYearMonth
	}
	return day, v.Kind.HasDate()
}

// Civil returns the date of a day counted from 1970-01-01, in the proleptic Gregorian calendar: eras of 400 years
// (146,097 days) of years that begin in March.
func Civil(days int64) (year, month, day int64) {
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
