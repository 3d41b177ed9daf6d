package main

import (
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const usage = `usage: campaign [flags] [FILE.rq ...]

Sends hostile queries to rdfgpu serve, one server for each store, and checks its limits. With files, asks these instead.
With -soak, mixes them with queries whose answers are known. The exit status is 1 where a limit did not hold.

  campaign -queries 20000
  campaign -soak 1h -connections 32 -stores nomisma
  campaign -stores nomisma -only 317,662                        # these of the seed's queries, sent as before
  campaign -stores tiny -server "--max-concurrent 2" query.rq   # a query of your own
`

// settings are the flags.
type settings struct {
	Rdfgpu      string        // the binary
	Folder      string        // for stores
	Keep        string        // for queries that found something, logs and the report
	Data        string        // the repository's testdata
	Stores      []string      // NAME or NAME=FOLDER
	Queries     int           // over all stores
	Only        []int         // of them; empty: all
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

// readSettings reads the command line.
func readSettings() *settings {
	s := &settings{Memory: 256 << 20, Watchdog: 4 << 30, Stores: []string{"nomisma", "rmat", "tiny"}}
	s.placeFlags()
	s.limitFlags()
	flag.IntVar(&s.Queries, "queries", 20_000, "queries over all stores")
	flag.Func("only", "numbers of queries to send, comma-separated (default: all)", s.setOnly)
	flag.IntVar(&s.Connections, "connections", 2, "connections that send them; where they are more than the server's slots, queries wait for each other")
	flag.Uint64Var(&s.Seed, "seed", 1, "the same seed sends the same queries")
	flag.IntVar(&s.Confirm, "confirm", 60, "ask at most so many of the queries that found something again, alone")
	flag.IntVar(&s.Minimize, "minimize", 8, "make at most so many of the queries that found something smaller, on each store")
	flag.DurationVar(&s.Soak, "soak", 0, "soak each store for so long instead")
	flag.Usage = func() { fmt.Fprint(flag.CommandLine.Output(), usage); flag.PrintDefaults() }
	flag.Parse()
	s.Files = flag.Args()
	if s.Keep == "" {
		s.Keep = filepath.Join(s.Folder, "kept")
	}
	return s
}

// placeFlags are those that say where things are.
func (s *settings) placeFlags() {
	flag.StringVar(&s.Rdfgpu, "rdfgpu", "bin/rdfgpu", "the binary to test")
	flag.StringVar(&s.Folder, "dir", ".cache/hostile", "folder for the stores, made where they are missing")
	flag.StringVar(&s.Keep, "keep", "", "folder for queries that found something, logs and the report (default: kept in -dir)")
	flag.StringVar(&s.Data, "testdata", "testdata", "the repository's folder of that name")
	flag.Func("stores", "comma-separated: nomisma, rmat, tiny or NAME=FOLDER (default: all three)", s.setStores)
}

// limitFlags are those that say what should hold.
func (s *settings) limitFlags() {
	flag.DurationVar(&s.Timeout, "timeout", time.Second, "--timeout of the server")
	flag.Func("memory", "--max-memory of the server (default 256MiB)", sizeFlag(&s.Memory))
	flag.Func("server", "further flags of the server, separated by spaces", s.setServer)
	flag.DurationVar(&s.Grace, "grace", 100*time.Millisecond, "how much later than its limit a query may end")
	flag.DurationVar(&s.AskLimit, "ask-limit", 50*time.Millisecond, "how long the other client's ASK may take (99 of 100)")
	flag.Func("watchdog", "memory at which a server is killed (default 4GiB)", sizeFlag(&s.Watchdog))
}

func (s *settings) setStores(text string) error {
	s.Stores = strings.Split(text, ",")
	return nil
}

func (s *settings) setServer(text string) error {
	s.Server = strings.Fields(text)
	return nil
}

func (s *settings) setOnly(text string) error {
	for _, word := range strings.Split(text, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 0 {
			return errors.New("want numbers such as 317,662")
		}
		s.Only = append(s.Only, n)
	}
	return nil
}

// sizeFlag sets a number of bytes from a text with KiB, MiB or GiB behind it.
func sizeFlag(size *int64) func(string) error {
	return func(text string) error {
		unit := int64(1)
		for name, n := range map[string]int64{"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30} {
			if number, ok := strings.CutSuffix(text, name); ok {
				text, unit = number, n
			}
		}
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n <= 0 {
			return errors.New("want a size such as 256MiB")
		}
		*size = n * unit
		return nil
	}
}
