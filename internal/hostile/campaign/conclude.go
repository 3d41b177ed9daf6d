package main

import (
	"fmt"
	"slices"
)

// count adds an answer to the report.
func (t *trial) count(q *task, a answer) {
	t.finished.Add(1)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.report.Answers++
	t.report.Bytes += a.Bytes
	t.report.Statuses[a.outcome()]++
	t.report.shape(q.query.Shape).add(a)
	if !a.Left && !a.Cut {
		t.report.times = append(t.report.times, a.Elapsed)
	}
	if a.Status == 501 {
		t.report.refuse(firstLine(a.problem))
	}
}

// outcome names what came of a request.
func (a answer) outcome() string {
	switch {
	case a.Left:
		return "left"
	case a.Cut:
		return "cut"
	case a.Broken:
		return fmt.Sprintf("%d broken off", a.Status)
	case a.Status != 0:
		return fmt.Sprint(a.Status)
	}
	return "none"
}

// conclude looks at what is left once nobody asks any more, and stops the server.
func (t *trial) conclude(base rest) {
	r := t.report
	r.After = t.server.settle(base)
	if r.After.Goroutines > base.Goroutines+goroutineSlack || r.After.Descriptors > base.Descriptors+descriptorSlack {
		t.add(violation{Kind: leaked, Detail: fmt.Sprintf("goroutines %d, then %d; descriptors %d, then %d", base.Goroutines, r.After.Goroutines, base.Descriptors, r.After.Descriptors)})
	}
	if err := t.server.stop(); err != nil {
		t.add(violation{Kind: stopping, Detail: err.Error()})
	}
	for _, name := range t.server.leftovers() {
		t.add(violation{Kind: files, Detail: name})
	}
	for _, line := range t.server.faults {
		t.add(violation{Kind: logged, Detail: line})
	}
	t.concludeAsking()
	r.Time, r.Lateness, r.Memory = spreadOf(r.times), spreadOf(t.gauge.latenesses()), t.gauge.most
	r.Starts = t.server.generation
}

// concludeAsking judges what the other client saw. In a soak it waits its turn among many, and may be told to come back.
func (t *trial) concludeAsking() {
	r, p := t.report, t.prober
	r.AskBeyond = p.beyond(t.settings.AskLimit)
	r.Ask = spreadOf(p.times)
	r.AskStatuses, r.AskLost = p.Statuses, p.Lost
	bad := p.Lost > 0 || t.settings.Soak == 0 && (len(p.Statuses) > 0 || r.Ask.P99 > milliseconds(t.settings.AskLimit))
	for status := range p.Statuses {
		bad = bad || !slices.Contains(statuses, status)
	}
	if bad {
		t.add(violation{Kind: asking, Milliseconds: r.Ask.P99, Detail: fmt.Sprintf("99 of 100 within %.0f ms, longest %.0f ms, statuses %v, %d without an answer", r.Ask.P99, r.Ask.Max, p.Statuses, p.Lost)})
	}
}
