package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/rdfgpu/rdfgpu/internal/hostile"
)

// How far violations are followed up.
const (
	confirmEach  = 3 // of a kind and shape
	confirmAll   = 150
	shrinkTrials = 60
	shrinkTime   = 90 * time.Second
	held         = "held"
)

// confirm asks the queries that found something again, alone, and makes some of them smaller.
func (t *trial) confirm(ctx context.Context) error {
	if t.settings.Soak > 0 {
		return nil
	}
	seen, shrunk, asked := map[string]int{}, map[string]bool{}, 0
	for _, v := range t.report.Violations {
		if v.task == nil || asked >= confirmAll || seen[v.group()] >= confirmEach || ctx.Err() != nil {
			continue
		}
		seen[v.group()]++
		asked++
		found, err := t.alone(ctx, v.task)
		if err != nil {
			return err
		}
		v.Alone = strings.Join(found, ", ")
		if !related(found, v.Kind) || shrunk[v.group()] || len(shrunk) >= t.settings.Minimize {
			continue
		}
		shrunk[v.group()] = true
		fmt.Fprintf(os.Stderr, "%s: making %s smaller\n", t.server.name, v.File)
		v.Minimized = t.shrink(ctx, v)
	}
	return nil
}

// related reports whether what was found alone is what was found in company: memory and the watchdog, and lateness and
// endlessness, differ in degree only.
func related(found []string, kind string) bool {
	same := map[string][]string{
		memory: {memory, killed}, killed: {memory, killed}, tooLate: {tooLate, endless}, endless: {tooLate, endless, killed}, died: {died}, badCode: {badCode}, noAnswer: {noAnswer, died},
	}
	return slices.ContainsFunc(found, func(f string) bool { return slices.Contains(same[kind], f) })
}

// shrink makes a query smaller that still violates in the same way.
func (t *trial) shrink(ctx context.Context, v *violation) string {
	until := time.Now().Add(shrinkTime)
	fails := func(text string) bool {
		if ctx.Err() != nil || time.Now().After(until) {
			return false
		}
		sent := *v.task.query
		sent.Tree = &hostile.Node{Open: text}
		found, err := t.alone(ctx, &task{Index: v.Index, Text: text, query: &sent})
		return err == nil && related(found, v.Kind)
	}
	return hostile.Minimize(v.task.query.Tree, fails, shrinkTrials)
}

// alone asks a query of a server that does nothing else, and says what it violates: held where nothing.
func (t *trial) alone(ctx context.Context, q *task) (found []string, err error) {
	s, err := newServer(t.settings, t.server.name+"-alone", t.dir)
	if err != nil {
		return nil, err
	}
	if err := s.start(); err != nil {
		return nil, err
	}
	note := func(kind string) func(int64) {
		return func(int64) { found = append(found, kind) }
	}
	g := &gauge{server: s, bound: t.gauge.bound, beyond: note(memory), killed: note(killed)}
	watch, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() { defer close(done); g.run(watch) }()
	c := newConnection(s, "")
	a := c.send(ctx, q.query, nil)
	c.close()
	stop()
	<-done
	kind, _ := t.settings.judge(q, a, false)
	if kind == noAnswer && s.dead(c.generation) {
		kind = died
	}
	if kind != "" {
		found = append(found, kind)
	}
	if a.Endless {
		s.replace(c.generation)
	}
	s.stop()
	if len(found) == 0 {
		found = []string{held}
	}
	return found, nil
}
