package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

func main() {
	s := readSettings()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	violated, err := s.run(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, "campaign:", err)
	}
	if violated || err != nil {
		stop()
		os.Exit(1)
	}
}

// run tests one store after another, prints the report and keeps it.
func (s *settings) run(ctx context.Context) (violated bool, err error) {
	if err := os.MkdirAll(s.Keep, 0o755); err != nil {
		return false, err
	}
	r := &report{Settings: s}
	for i, name := range s.Stores {
		dir, err := s.makeStore(ctx, name)
		if err != nil {
			return false, err
		}
		name, _, _ = strings.Cut(name, "=")
		c := newTrial(s, name, dir)
		part, err := c.run(ctx, s.share(i))
		if part != nil {
			r.Stores = append(r.Stores, part)
			fmt.Print((&report{Settings: s, Stores: r.Stores[len(r.Stores)-1:]}))
		}
		if err != nil {
			return true, errors.Join(err, r.save(s.Keep))
		}
		if ctx.Err() != nil {
			break
		}
	}
	return slices.ContainsFunc(r.Stores, (*storeReport).violated), r.save(s.Keep)
}

// share is how many of the queries the i-th store gets.
func (s *settings) share(i int) int {
	n := len(s.Stores)
	return (s.Queries + n - 1 - i) / n
}

// save keeps the report as JSON.
func (r *report) save(keep string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(keep, "report.json"), append(text, '\n'), 0o644)
}
