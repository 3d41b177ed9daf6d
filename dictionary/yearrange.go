package dictionary

import "math"

// mostYears bounds years: their instants fit 64 bits. mostZone is how many seconds a zone may be off.
const mostYears, mostZone = 200_000_000_000, 840 * 60

// YearRange is the IDs below Ordered of the dates and times whose year, in their own zone, is from low to high, as ascending ranges that do not touch: some for each segment. They
// lie in the order of their instants; where some are so near to the turn of a year that their zone decides, the ranges have these and more, and exact is false.
func (d *Dictionary) YearRange(low, high int64) (ranges []Range, exact bool) {
	begin, end := yearBegins(low), yearBegins(min(high, math.MaxInt64-1)+1)
	exact = true
	for i := range d.segments {
		for _, r := range d.MomentRanges(i) {
			v, slack := d.Value(r.From), int64(0)
			if v.Kind == Time {
				continue
			}
			if v.Zone != NoZone {
				slack = mostZone
			}
			at := func(instant int64) ID { return search(r, func(id ID) bool { return d.Value(id).Int >= instant }) }
			from, to := at(begin-slack), at(end+slack)
			if slack > 0 && (from < at(begin+slack) || at(end-slack) < to) {
				exact = false
			}
			ranges = appendRange(ranges, from, to)
		}
	}
	return ranges, exact
}

// IsInYears reports whether the value is a date or a time whose year, in its own zone, is from low to high.
func (v Value) IsInYears(low, high int64) bool {
	return v.IsTemporal() && v.Kind != Time && yearBegins(low) <= v.Local() && v.Local() < yearBegins(min(high, math.MaxInt64-1)+1)
}

// yearBegins is the instant without a zone at which a year begins, of years beyond mostYears some instant before or behind all others.
func yearBegins(year int64) int64 {
	switch {
	case year < -mostYears:
		return math.MinInt64 / 2
	case year > mostYears:
		return math.MaxInt64 / 2
	}
	return daysFromCivil(year, 1, 1) * secondsPerDay
}
