package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// report is what was found.
type report struct {
	Settings *settings
	Stores   []*storeReport
}

// storeReport is what was found on one store; times in milliseconds.
type storeReport struct {
	Store         string
	Seconds       float64
	Answers       int
	Bytes         int64
	Statuses      map[string]int // answers by status, or what came instead
	Refused       map[string]int // answers 501 by their reason
	Time          spread         // of the queries
	Ask           spread         // of the other client
	AskBeyond     int            // its answers beyond the limit
	AskStatuses   map[int]int    // its answers other than 200
	AskLost       int            // no answer
	Lateness      spread         // of the campaign's own clock
	HeldUp        int            // answers beyond the limit by what the machine's host took
	HeldUpMost    float64        // the longest of them
	Memory        int64          // highest, bytes
	Before, After rest           // at rest
	Starts        int            // of the server
	Soak          *soakReport    `json:",omitempty"`
	Shapes        map[string]*shapeReport
	Violations    []*violation

	times []time.Duration
}

// shapeReport is what was found with the queries of one shape.
type shapeReport struct {
	Answers int
	Longest float64
	Outcome map[string]int
}

func (s *shapeReport) add(a answer) {
	s.Answers++
	s.Longest = max(s.Longest, milliseconds(a.Elapsed))
	s.Outcome[a.outcome()]++
}

func (r *storeReport) shape(name string) *shapeReport {
	if r.Shapes[name] == nil {
		r.Shapes[name] = &shapeReport{Outcome: map[string]int{}}
	}
	return r.Shapes[name]
}

// refuse counts a reason for which a query was refused.
func (r *storeReport) refuse(reason string) {
	if r.Refused == nil {
		r.Refused = map[string]int{}
	}
	r.Refused[reason[:min(len(reason), 120)]]++
}

// violated reports whether a limit did not hold.
func (r *storeReport) violated() bool { return len(r.Violations) > 0 }

// String is the report for people.
func (r *report) String() string {
	var sb strings.Builder
	for _, s := range r.Stores {
		s.write(&sb, r.Settings)
	}
	return sb.String()
}

func (r *storeReport) write(sb *strings.Builder, s *settings) {
	line := func(name, format string, args ...any) {
		fmt.Fprintf(sb, "  %-22s %s\n", name, fmt.Sprintf(format, args...))
	}
	fmt.Fprintf(sb, "\n%s: %d answers in %.0f s, %d connections, limit %v, budget %d MiB\n", r.Store, r.Answers, r.Seconds, s.Connections, s.Timeout, s.Memory>>20)
	line("answers", "%s", counts(r.Statuses))
	line("time of a query", "%s", r.Time)
	line("another client's ASK", "%s; %d beyond %v, statuses %v, %d lost", r.Ask, r.AskBeyond, s.AskLimit, r.AskStatuses, r.AskLost)
	line("our own lateness", "%s", r.Lateness)
	if r.HeldUp > 0 {
		line("held up by the host", "%d answers, by processor time that it gave to others meanwhile; longest %.0f ms", r.HeldUp, r.HeldUpMost)
	}
	line("memory", "at most %d MiB (bound %d MiB); at rest %d MiB, then %d MiB", r.Memory>>20, (s.Memory+s.Memory/10)>>20, r.Before.Memory>>20, r.After.Memory>>20)
	line("goroutines", "%d, then %d; descriptors %d, then %d; %d starts", r.Before.Goroutines, r.After.Goroutines, r.Before.Descriptors, r.After.Descriptors, r.Starts)
	for reason, n := range r.Refused {
		line("refused", "%d times: %s", n, reason)
	}
	if r.Soak != nil {
		r.Soak.write(line)
	}
	r.writeViolations(sb)
}

// String is a distribution for people.
func (s spread) String() string {
	return fmt.Sprintf("half within %.1f ms, 99 of 100 within %.0f ms, longest %.0f ms (%d)", s.P50, s.P99, s.Max, s.N)
}

// writeViolations lists the violations, those of one kind and shape together.
func (r *storeReport) writeViolations(sb *strings.Builder) {
	groups := map[string][]*violation{}
	for _, v := range r.Violations {
		groups[v.group()] = append(groups[v.group()], v)
	}
	keys := slices.SortedFunc(maps.Keys(groups), func(a, b string) int { return cmp.Or(len(groups[b])-len(groups[a]), cmp.Compare(a, b)) })
	fmt.Fprintf(sb, "  %d violations\n", len(r.Violations))
	for _, key := range keys {
		worst := slices.MaxFunc(groups[key], (*violation).compare)
		fmt.Fprintf(sb, "  - %s: %d times; %s\n", key, len(groups[key]), worst)
	}
}

// group names what violations have in common.
func (v *violation) group() string {
	name := v.Kind
	if v.Status != 0 {
		name += fmt.Sprintf(" (status %d)", v.Status)
	}
	switch {
	case v.Kind == badCode:
		name += ", " + v.Detail[:min(len(v.Detail), 90)]
	case v.Shape != "":
		name += ", " + v.Shape
	}
	return name
}

// compare orders violations of a group: those that were confirmed and made smaller are the most telling.
func (v *violation) compare(w *violation) int {
	return cmp.Or(cmp.Compare(min(1, len(v.Minimized)), min(1, len(w.Minimized))), cmp.Compare(v.Milliseconds, w.Milliseconds), cmp.Compare(v.Megabytes, w.Megabytes))
}

// String is a violation in a line.
func (v *violation) String() string {
	var sb strings.Builder
	if v.Milliseconds > 0 {
		fmt.Fprintf(&sb, "%.0f ms; ", v.Milliseconds)
	}
	if v.Megabytes > 0 {
		fmt.Fprintf(&sb, "%d MiB; ", v.Megabytes)
	}
	sb.WriteString(v.Detail)
	if v.Alone != "" {
		sb.WriteString("; alone: " + v.Alone)
	}
	if v.File != "" {
		sb.WriteString("; " + v.File)
	}
	if v.Minimized != "" {
		sb.WriteString("\n      " + strings.Join(strings.Fields(v.Minimized[:min(len(v.Minimized), 600)]), " "))
	}
	return sb.String()
}

func counts(of map[string]int) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(of)) {
		parts = append(parts, fmt.Sprintf("%s: %d", name, of[name]))
	}
	return strings.Join(parts, ", ")
}
