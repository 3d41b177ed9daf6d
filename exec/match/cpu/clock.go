package cpu

import "time"

// clock tells a worker's time by the step it works for, where a trace is asked for. It is read once for each table of
// rows, not for each row: steps that are counted together at the end of a plan are told as one, the first of them.
type clock struct {
	on    bool
	step  int // in the plan; noStep between steps
	since time.Time
	spent []time.Duration // by step of the plan
}

// noStep is what a worker works for while it waits for those who read its rows.
const noStep = -1

func (c *clock) reset(on bool, steps int) {
	c.on, c.step = on, noStep
	if on {
		c.spent = extend(c.spent, steps)
		clear(c.spent)
	}
}

// enter says which step the worker now works for, and returns the one before.
func (c *clock) enter(step int) (before int) {
	if !c.on {
		return noStep
	}
	now := time.Now()
	if before = c.step; before != noStep {
		c.spent[before] += now.Sub(c.since)
	}
	c.step, c.since = step, now
	return before
}

// leave goes back to the step before.
func (c *clock) leave(before int) { c.enter(before) }
