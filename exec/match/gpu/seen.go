package gpu

import (
	"time"

	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// Seen is what a plan took when it was run before, on a processor and on a device, whatever had been expected; 0 where it was not.
type Seen struct{ Processor, Device time.Duration }

// candidateTime is that of the unit of costs, about: a candidate of one thread.
const candidateTime = 5 * time.Nanosecond

// surprise is how many times what the other side is expected to take one side must have taken before the other is tried: estimates of both come from the
// same numbers of candidates, so that where one is off, so is the other most often.
const surprise = 2

// With is the outlook with what was seen: that, where both sides were; what one side took, less surprise, beside what is expected of the other where that has not been
// tried, of a device without what is there for estimates that are too high.
func (o Outlook) With(seen Seen) Outlook {
	here, there := float64(seen.Processor/candidateTime), float64(seen.Device/candidateTime)
	switch {
	case here > 0 && there > 0:
		o.Processor, o.Device = here, there
	case here > 0:
		o.Processor, o.Device = here/surprise, o.Device-bgp.GPUCost+bgp.GPULaunchCost
	case there > 0:
		o.Device = there / surprise
	}
	return o
}

// Pays reports whether a device is expected to take less time than a processor, and whether it does so with bringing there what the plan reads, at a price: what was
// seen there has that of pages in it.
func (o Outlook) Pays(seen Seen, price func() float64) (there, now bool) {
	expected := o.With(seen)
	if expected.Processor <= expected.Device {
		return false, false
	}
	brings := price()
	if seen.Device > 0 && brings <= float64(seen.Device/candidateTime) {
		brings = 0
	}
	return true, expected.Processor > expected.Device+brings
}

// leastPatience is how long a device is waited for at least, as a first launch may have to wait for others, and mostPatience at most: what is expected to take long may be
// expected wrongly by any factor.
const (
	leastPatience = time.Millisecond
	mostPatience  = 4 * time.Millisecond
)

// Patience is how long a device may take, with bringing what the plan reads at a price, until what is expected of it is no more believed; 0: without end, since what
// it takes is known.
func (o Outlook) Patience(seen Seen, price float64) time.Duration {
	if seen.Device > 0 {
		return 0
	}
	return time.Duration(min(max(surprise*(o.Device+price), float64(leastPatience/candidateTime)), float64(mostPatience/candidateTime))) * candidateTime
}
