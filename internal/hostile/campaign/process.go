package main

import (
	"bufio"
	"bytes"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// anonymous is the memory of a process without its mapped files, in bytes; 0 where it cannot be told.
func anonymous(pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(text, []byte("RssAnon:"))
	fields := bytes.Fields(rest[:min(len(rest), 40)])
	if len(fields) == 0 {
		return 0
	}
	n, _ := strconv.ParseInt(string(fields[0]), 10, 64)
	return n << 10
}

// stolen is for how long the host of a virtual machine has given its processors to others, all processors together; 0 where it cannot be told.
func stolen() time.Duration {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	const place = 8 // cpu user nice system idle iowait irq softirq steal
	fields := bytes.Fields(line)
	if len(fields) <= place {
		return 0
	}
	n, _ := strconv.ParseInt(string(fields[place]), 10, 64)
	return time.Duration(n) * (time.Second / 100)
}

// descriptors is how many files and connections a process has open.
func descriptors(pid int) int {
	entries, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	return len(entries)
}

// goroutines is how many goroutines a server has, by its metrics. It runs without --pprof, as servers do.
func goroutines(address string) int {
	client := http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Get("http://" + address + "/metrics")
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		if count, ok := strings.CutPrefix(lines.Text(), "go_goroutines "); ok {
			n, _ := strconv.Atoi(count)
			return n
		}
	}
	return 0
}

// rest is what a server that has nothing to do holds.
type rest struct {
	Goroutines  int
	Descriptors int
	Memory      int64
}

func (s *server) rest() rest {
	address, _ := s.at()
	return rest{Goroutines: goroutines(address), Descriptors: descriptors(s.pid()), Memory: anonymous(s.pid())}
}

// Slack is what a server may hold at rest beyond what it held at first, and how long it may take to get there.
const (
	goroutineSlack  = 10
	descriptorSlack = 10
	settleTime      = 10 * time.Second
)

// settle waits until a server holds no more than base, and returns what it holds then.
func (s *server) settle(base rest) rest {
	deadline := time.Now().Add(settleTime)
	for {
		now := s.rest()
		if now.Goroutines <= base.Goroutines+goroutineSlack && now.Descriptors <= base.Descriptors+descriptorSlack || time.Now().After(deadline) {
			return now
		}
		time.Sleep(200 * time.Millisecond)
	}
}
