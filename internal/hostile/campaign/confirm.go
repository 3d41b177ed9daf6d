package main

import (
	"cmp"
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
	confirmEach  = 2 // of a group
	shrinkTrials = 80
	shrinkTime   = 60 * time.Second
	held         = "held"
)

// severity orders the kinds of violations, those that need an explanation most first.
var severity = []string{died, killed, wrong, noAnswer, badCode, endless, memory, stayed, tooLate}

// confirm asks the queries that found something again, alone, and makes some of them smaller.
func (t *trial) confirm(ctx context.Context) error {
	if t.settings.Soak > 0 {
		return nil
	}
	list := slices.Clone(t.report.Violations)
	slices.SortStableFunc(list, func(a, b *violation) int {
		return cmp.Compare(slices.Index(severity, a.Kind), slices.Index(severity, b.Kind))
	})
	seen, shrunk, asked := map[string]int{}, map[string]bool{}, 0
	for _, v := range list {
		group := v.group()
		if v.task == nil || v.task.query.Leave > 0 || asked >= t.settings.Confirm || seen[group] >= confirmEach || ctx.Err() != nil {
			continue
		}
		seen[group]++
		asked++
		found, err := t.alone(ctx, v.task, "")
		if err != nil {
			return err
		}
		v.Alone = strings.Join(found, ", ")
		if related(found, v.Kind) && !shrunk[group] && len(shrunk) < t.settings.Minimize {
			shrunk[group] = true
			fmt.Fprintf(os.Stderr, "%s: making %s smaller\n", t.server.name, v.File)
			v.Minimized = t.shrink(ctx, v)
		}
	}
	return nil
}

// related reports whether what was found alone is what was found in company: memory and the watchdog, and lateness and
// endlessness, differ in degree only.
func related(found []string, kind string) bool {
	same := map[string][]string{
		memory: {memory, killed}, killed: {memory, killed}, tooLate: {tooLate, endless}, endless: {endless, killed},
		died: {died}, badCode: {badCode}, noAnswer: {noAnswer, died},
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
		found, err := t.alone(ctx, &task{Index: v.Index, Text: text, query: &sent}, v.Kind)
		return err == nil && related(found, v.Kind)
	}
	return hostile.Minimize(v.task.query.Tree, fails, shrinkTrials)
}

// alone asks a query of a server that does nothing else, and says what it violates: held where nothing. Where only one
// kind of violation matters it waits no longer than that takes.
func (t *trial) alone(ctx context.Context, q *task, only string) (found []string, err error) {
	s, err := newServer(t.settings, t.server.name+"-alone", t.dir)
	if err != nil {
		return nil, err
	}
	if err := s.start(); err != nil {
		return nil, err
	}
	defer s.stop()
	sending, enough := context.WithCancel(ctx)
	defer enough()
	c := newConnection(s, "")
	defer c.close()
	if only != "" {
		c.patience = impatience
	}
	g := &gauge{server: s, bound: t.gauge.bound}
	g.beyond = func(int64) {
		found = append(found, memory)
		if only == memory {
			enough()
		}
	}
	g.killed = func(int64) { found = append(found, killed) }
	done := make(chan struct{})
	watch, watching := context.WithCancel(ctx)
	go func() { defer close(done); g.run(watch) }()
	a := c.send(sending, q.query, nil)
	watching()
	<-done
	if kind, _ := t.settings.judge(q, a, false); kind == noAnswer && s.dead(c.generation) {
		found = append(found, died)
	} else if kind != "" && sending.Err() == nil {
		found = append(found, kind)
	}
	if a.Endless || sending.Err() != nil {
		return found, s.replace(c.generation)
	}
	if len(found) == 0 {
		found = []string{held}
	}
	return found, nil
}
