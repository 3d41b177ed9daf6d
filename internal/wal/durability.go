package wal

import (
	"fmt"
	"strings"
	"time"
)

// Durability says when a record counts as committed. The zero Durability is "sync". Whatever it is, a log must be synced before
// what it says is made durable elsewhere: else a power cut leaves a log that ends before.
type Durability struct {
	// Unsynced: when it is appended. It is synced within a second; a killed process loses nothing, a power cut the last
	// second.
	Unsynced bool
	// Interval is how much time lies between two syncs at least, so that more records share one; 0 for none.
	Interval time.Duration
}

// ParseDurability reads "sync", "group=5ms" (a duration of package time, above 0) or "none".
func ParseDurability(text string) (Durability, error) {
	interval, group := strings.CutPrefix(text, "group=")
	switch d, err := time.ParseDuration(interval); {
	case text == "sync":
		return Durability{}, nil
	case text == "none":
		return Durability{Unsynced: true}, nil
	case group && err == nil && d > 0:
		return Durability{Interval: d}, nil
	}
	return Durability{}, fmt.Errorf("wal: durability %q: expected sync, none or group= and a time like 5ms", text)
}

// String is what ParseDurability reads.
func (d Durability) String() string {
	switch {
	case d.Unsynced:
		return "none"
	case d.Interval > 0:
		return "group=" + d.Interval.String()
	}
	return "sync"
}

// pause is how much time lies between two syncs at least.
func (d Durability) pause() time.Duration {
	if d.Unsynced && d.Interval == 0 {
		return time.Second
	}
	return d.Interval
}
