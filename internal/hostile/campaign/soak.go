package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"time"
)

// soakReport is what a soak adds to the report.
type soakReport struct {
	Hostile, Ordinary int            // answers
	Checked, Wrong    int            // answers 200 to ordinary queries
	OrdinaryTime      spread         // of those
	OrdinaryOutcome   map[string]int // answers by status
	PerSecond         []float64      // ordinary answers a second, in parts of the time
	Second, Last      int64          // mean memory in the second and the last quarter, bytes
}

// soakParts is into how many parts the time of a soak is cut to show its rate.
const soakParts = 20

// Memory may grow by this much between the second and the last quarter.
const (
	trendShare = 10 // a tenth
	trendSlack = 16 << 20
)

// soak lets half of the connections send hostile queries and the other half ordinary ones, whose answers it checks.
func (t *trial) soak(ctx context.Context) error {
	list, err := t.learnKnown(ctx)
	if err != nil {
		return err
	}
	t.report.Soak = &soakReport{OrdinaryOutcome: map[string]int{}}
	began := time.Now()
	soaking, stop := context.WithTimeout(ctx, t.settings.Soak)
	defer stop()
	parts := make([]atomic.Int64, soakParts)
	times := make([][]time.Duration, len(t.connections))
	err = t.watched(soaking, func(ctx context.Context, c *connection, number int) error {
		r := rand.New(rand.NewPCG(t.settings.Seed, uint64(number)))
		for ctx.Err() == nil {
			if number%2 == 0 || len(list) == 0 {
				if err := t.soakHostile(ctx, c); err != nil {
					return err
				}
				continue
			}
			a, err := t.askKnown(ctx, c, list[r.IntN(len(list))])
			if err != nil {
				return err
			}
			times[number] = append(times[number], a.Elapsed)
			parts[min(soakParts-1, int(soakParts*time.Since(began)/t.settings.Soak))].Add(1)
		}
		return nil
	})
	t.report.Soak.conclude(parts, times, t.settings.Soak)
	t.concludeTrend()
	return err
}

// soakHostile sends the next hostile query. With more connections than slots queries wait, so time is no matter here.
func (t *trial) soakHostile(ctx context.Context, c *connection) error {
	q, err := t.task(int(t.next.Add(1) - 1))
	if err != nil {
		return err
	}
	a := c.ask(ctx, q, nil)
	if ctx.Err() != nil {
		return nil
	}
	t.count(q, a)
	t.mu.Lock()
	t.report.Soak.Hostile++
	t.mu.Unlock()
	return t.verdict(c, q, a, true)
}

// askKnown asks an ordinary query and compares the answer.
func (t *trial) askKnown(ctx context.Context, c *connection, k *known) (answer, error) {
	q := &task{Index: -1, Text: k.query.Text(), query: k.query, known: k}
	var s summer
	a := c.ask(ctx, q, &s)
	if ctx.Err() != nil {
		return a, nil
	}
	whole := a.Status == 200 && a.Err == ""
	t.countKnown(a, whole)
	if whole {
		if difference := k.differs(&s); difference != "" {
			t.add(violation{Kind: wrong, Detail: difference})
			t.mu.Lock()
			t.report.Soak.Wrong++
			t.mu.Unlock()
		}
	}
	if a.Status != 200 && strings.HasPrefix(fmt.Sprint(a.Status), "4") {
		t.add(violation{Kind: badCode, Status: a.Status, Detail: k.Name + ": " + firstLine(a.problem)})
	}
	if a.Status == 503 {
		time.Sleep(10 * time.Millisecond) // not to measure how fast a server refuses
	}
	return a, t.verdict(c, q, a, true)
}

func (t *trial) countKnown(a answer, whole bool) {
	t.finished.Add(1)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.report.Answers++
	t.report.Bytes += a.Bytes
	s := t.report.Soak
	s.Ordinary++
	s.OrdinaryOutcome[a.outcome()]++
	if whole {
		s.Checked++
	}
}

// conclude computes rates and times.
func (s *soakReport) conclude(parts []atomic.Int64, times [][]time.Duration, whole time.Duration) {
	for i := range parts {
		s.PerSecond = append(s.PerSecond, float64(parts[i].Load())/(whole.Seconds()/soakParts))
	}
	var all []time.Duration
	for _, list := range times {
		all = append(all, list...)
	}
	s.OrdinaryTime = spreadOf(all)
}

// concludeTrend says whether memory grew.
func (t *trial) concludeTrend() {
	s := t.report.Soak
	s.Second, s.Last = t.gauge.trend()
	if s.Last > s.Second+s.Second/trendShare+trendSlack {
		t.add(violation{Kind: trending, Megabytes: s.Last >> 20, Detail: fmt.Sprintf("%d MiB in the second quarter, %d MiB in the last", s.Second>>20, s.Last>>20)})
	}
}

func (s *soakReport) write(line func(name, format string, args ...any)) {
	line("hostile", "%d answers", s.Hostile)
	line("ordinary", "%d answers (%s), %d checked, %d wrong", s.Ordinary, counts(s.OrdinaryOutcome), s.Checked, s.Wrong)
	line("time of an ordinary one", "%s", s.OrdinaryTime)
	line("ordinary answers/s", "%.0f", s.PerSecond)
	line("memory over time", "%d MiB in the second quarter, %d MiB in the last", s.Second>>20, s.Last>>20)
}
