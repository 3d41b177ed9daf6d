package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const usage = `usage: campaign [flags] [FILE.rq ...]

Sends hostile queries to rdfgpu serve, one server for each store, and checks its limits. With files, asks these instead.
With -soak, mixes them with queries whose answers are known. The exit status is 1 where a limit did not hold.

  campaign -queries 20000
  campaign -soak 1h -connections 32 -stores nomisma
  campaign -stores tiny -server "--max-concurrent 2" kept/017-time-tiny.rq
`

// settings are the flags.
type settings struct {
	Rdfgpu      string        // the binary
	Folder      string        // for stores
	Keep        string        // for queries that found something, logs and the report
	Data        string        // of the repository: testdata
	Stores      []string      // NAME or NAME=FOLDER
	Queries     int           // over all stores
	Connections int           // that send them
	Seed        uint64        // of the queries
	Timeout     time.Duration // --timeout
	Memory      int64         // --max-memory
	Server      []string      // further flags
	Grace       time.Duration // beyond a limit
	AskLimit    time.Duration // of the other client's ASK
	Watchdog    int64         // bytes of memory at which a server is killed
	Confirm     int           // queries asked again, at most
	Minimize    int           // queries made smaller, at most
	Soak        time.Duration // 0: a campaign
	Files       []string      // asked instead of generated queries
}

func main() {
	s := settings{Memory: 256 << 20, Watchdog: 4 << 30, Stores: []string{"nomisma", "rmat", "tiny"}}
	flag.StringVar(&s.Rdfgpu, "rdfgpu", "bin/rdfgpu", "the binary to test")
	flag.StringVar(&s.Folder, "dir", ".cache/hostile", "folder for the stores, made where they are missing")
	flag.StringVar(&s.Keep, "keep", "", "folder for queries that found something, logs and the report (default: kept in -dir)")
	flag.StringVar(&s.Data, "testdata", "testdata", "the repository's folder of that name")
	flag.Func("stores", "comma-separated: nomisma, rmat, tiny or NAME=FOLDER (default: all three)", s.setStores)
	flag.IntVar(&s.Queries, "queries", 20_000, "queries over all stores")
	flag.IntVar(&s.Connections, "connections", 2, "connections that send them; more than the server's slots wait for each other")
	flag.Uint64Var(&s.Seed, "seed", 1, "the same seed sends the same queries")
	flag.DurationVar(&s.Timeout, "timeout", time.Second, "--timeout of the server")
	flag.Func("memory", "--max-memory of the server, such as 256MiB", func(text string) (err error) { s.Memory, err = parseSize(text); return err })
	flag.Func("server", "further flags of the server, separated by spaces", func(text string) error { s.Server = strings.Fields(text); return nil })
	flag.DurationVar(&s.Grace, "grace", 100*time.Millisecond, "how much later than its limit a query may end")
	flag.DurationVar(&s.AskLimit, "ask-limit", 50*time.Millisecond, "how long the other client's ASK may take (99 of 100)")
	flag.Func("watchdog", "memory at which a server is killed (default 4GiB)", func(text string) (err error) { s.Watchdog, err = parseSize(text); return err })
	flag.IntVar(&s.Confirm, "confirm", 60, "ask at most so many of the queries that found something again, alone")
	flag.IntVar(&s.Minimize, "minimize", 8, "make at most so many of the queries that found something smaller")
	flag.DurationVar(&s.Soak, "soak", 0, "soak each store for so long instead")
	flag.Usage = func() { fmt.Fprint(flag.CommandLine.Output(), usage); flag.PrintDefaults() }
	flag.Parse()
	s.Files = flag.Args()
	if s.Keep == "" {
		s.Keep = filepath.Join(s.Folder, "kept")
	}
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

func (s *settings) setStores(text string) error {
	s.Stores = strings.Split(text, ",")
	return nil
}

// parseSize reads a number of bytes with KiB, MiB or GiB behind it.
func parseSize(text string) (int64, error) {
	units := map[string]int64{"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
	unit := int64(1)
	for name, n := range units {
		if rest, ok := strings.CutSuffix(text, name); ok {
			text, unit = rest, n
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n <= 0 {
		return 0, errors.New("want a size such as 256MiB")
	}
	return n * unit, nil
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
