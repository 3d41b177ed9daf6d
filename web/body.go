package web

import (
	"github.com/rdfgpu/rdfgpu"
)

// bodyCopies is how many times the memory of its body a request takes: as it is read, and as text or form.
const bodyCopies = 2

// holdStep is how much of a body whose length nobody knows is counted at once.
const holdStep = 32 << 10

// hold counts the memory of a request's body against the process's until it is released.
type hold struct {
	budget *rdfgpu.Budget // nil: nothing is counted
	taken  int64
}

// reach counts a body of so many bytes, of which some may be counted already; the error says that there is no room.
func (h *hold) reach(bytes int64) error {
	more := bodyCopies*bytes - h.taken
	if h.budget == nil || more <= 0 {
		return nil
	}
	if err := h.budget.Take("the body of a request", more); err != nil {
		return err
	}
	h.taken += more
	return nil
}

// release takes what was counted off the count.
func (h *hold) release() {
	if h.taken > 0 {
		h.budget.Give(h.taken)
		h.taken = 0
	}
}

// budgetGreeting is what the log says of the budget at the start.
func budgetGreeting(b *rdfgpu.Budget) []any {
	if b == nil {
		return nil
	}
	u := b.Usage()
	return []any{"memory", u.Memory, "query_memory", u.Live, "spill", u.MaxSpill}
}
