package main

import (
	"context"
	"slices"
	"sync"
	"time"
)

// gaugeInterval is how often the server's memory is sampled.
const gaugeInterval = 20 * time.Millisecond

// gauge samples a server's memory, ends a server that takes far too much, and knows how late its own clock was.
type gauge struct {
	server *server
	bound  int64 // bytes
	// beyond is called when memory rises above the bound, killed when the watchdog had to end the server.
	beyond, killed func(bytes int64)

	most    int64
	above   bool
	seconds []int64 // mean of each second

	mu       sync.Mutex // guards lateness
	lateness []lateness
}

// stolenBefore is how long before a limit the host may have begun to take the processor away for the answer to be late by that: the time is
// told in hundredths of a second.
const stolenBefore = 20 * time.Millisecond

// run samples until ctx is done.
func (g *gauge) run(ctx context.Context) {
	var sum, n int64
	second := time.Now()
	for ctx.Err() == nil {
		began := time.Now()
		time.Sleep(gaugeInterval)
		g.late(lateness{time.Now(), max(0, time.Since(began)-gaugeInterval), stolen()})
		bytes := g.sample()
		sum, n = sum+bytes, n+1
		if time.Since(second) >= time.Second {
			g.seconds = append(g.seconds, sum/n)
			sum, n, second = 0, 0, time.Now()
		}
	}
}

// lateness is by how much the campaign itself woke up too late, which says how busy the machine was, and how long others have had the
// machine's processors since it was started.
type lateness struct {
	at     time.Time
	by     time.Duration
	stolen time.Duration
}

func (g *gauge) late(l lateness) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.lateness = append(g.lateness, l)
}

// stolen is for how long others have had the machine's processors since a time, all processors together.
func (g *gauge) stolen(since time.Time) time.Duration {
	now := stolen()
	g.mu.Lock()
	defer g.mu.Unlock()
	for i := len(g.lateness) - 1; i >= 0; i-- {
		if l := g.lateness[i]; l.at.Before(since) {
			return now - l.stolen
		}
	}
	return 0
}

// latest is the greatest lateness since a time.
func (g *gauge) latest(since time.Time) (by time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i := len(g.lateness) - 1; i >= 0 && g.lateness[i].at.After(since); i-- {
		by = max(by, g.lateness[i].by)
	}
	return by
}

// sample reads the memory once.
func (g *gauge) sample() int64 {
	_, generation := g.server.at()
	bytes := anonymous(g.server.pid())
	g.most = max(g.most, bytes)
	if bytes > g.bound && !g.above {
		g.beyond(bytes)
	}
	g.above = bytes > g.bound
	if bytes > g.server.settings.Watchdog {
		g.killed(bytes)
		g.server.replace(generation)
	}
	return bytes
}

// trend is the mean memory of the second and of the last quarter of the time; 0 where there are too few samples.
func (g *gauge) trend() (second, last int64) {
	n := len(g.seconds)
	if n < 8 {
		return 0, 0
	}
	return mean(g.seconds[n/4 : n/2]), mean(g.seconds[3*n/4:])
}

func mean(list []int64) int64 {
	var sum int64
	for _, v := range list {
		sum += v
	}
	return sum / int64(max(1, len(list)))
}

// spread is a distribution of times, in milliseconds.
type spread struct {
	N             int
	P50, P99, Max float64
}

func spreadOf(times []time.Duration) spread {
	if len(times) == 0 {
		return spread{}
	}
	slices.Sort(times)
	at := func(share float64) float64 {
		return float64(times[int(share*float64(len(times)-1))].Microseconds()) / 1000
	}
	return spread{len(times), at(0.5), at(0.99), at(1)}
}

// latenesses are all times by which the campaign woke up too late.
func (g *gauge) latenesses() (times []time.Duration) {
	for _, l := range g.lateness {
		times = append(times, l.by)
	}
	return times
}
