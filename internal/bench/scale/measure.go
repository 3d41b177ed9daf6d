package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/rdfgpu/rdfgpu"
)

// cost is what the operating system counted for a process.
type cost struct {
	Processor, System, Wall float64 // seconds; Processor includes System
	Peak                    int64   // bytes resident
	Written                 int64   // bytes sent to the disk
}

// result is what was measured of one graph.
type result struct {
	Graph     graph
	Generator cost // writing the text to nowhere
	Load      cost // generator included
	Report    rdfgpu.LoadReport
	Info      rdfgpu.Info
	Probe     probed
}

// line says in one line what was measured.
func (r *result) line() string {
	return fmt.Sprintf("%v: %d triples, load %.1f s wall, %.1f s of processor time (generator %.1f), %d MB peak, %.1f bytes a triple",
		r.Graph, r.Report.Triples, r.Load.Wall, r.Load.Processor, r.Generator.Processor, r.Load.Peak>>20, r.perTriple(r.Info.TotalBytes))
}

func (r *result) perTriple(bytes int64) float64 {
	return float64(bytes) / float64(max(r.Report.Triples, 1))
}

func (s *settings) measure(g graph) (*result, error) {
	r := &result{Graph: g}
	scale := strconv.Itoa(g.Scale)
	var err error
	if _, r.Generator, err = s.run(s.rdfgpu, "generate", g.Kind, "--scale", scale, "-o", os.DevNull); err != nil {
		return nil, err
	}
	dir := filepath.Join(s.folder, fmt.Sprintf("%s-%d.store", g.Kind, g.Scale))
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	out, load, err := s.run(s.rdfgpu, "generate", g.Kind, "--scale", scale, "--memory", g.Memory, "--load", dir, "--json")
	if err != nil {
		return nil, err
	}
	r.Load = load
	if err := json.Unmarshal(out, &r.Report); err != nil {
		return nil, fmt.Errorf("report of the load: %w", err)
	}
	if out, _, err = s.run(s.rdfgpu, "info", "--json", dir); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(out, &r.Info); err != nil {
		return nil, fmt.Errorf("rdfgpu info: %w", err)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if out, _, err = s.run(self, probeCommand, dir, s.queries[g.Kind]); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(out, &r.Probe); err != nil {
		return nil, fmt.Errorf("probe: %w", err)
	}
	if !s.keep {
		err = os.RemoveAll(dir)
	}
	return r, err
}

// run runs a program to its end and returns its standard output and what it cost.
func (s *settings) run(program string, args ...string) (out []byte, c cost, err error) {
	command := exec.Command(program, args...)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	start := time.Now()
	err = command.Run()
	c.Wall = time.Since(start).Seconds()
	if err != nil {
		return nil, c, fmt.Errorf("%s %v: %w: %s", program, args, err, bytes.TrimSpace(stderr.Bytes()))
	}
	c.System = command.ProcessState.SystemTime().Seconds()
	c.Processor = c.System + command.ProcessState.UserTime().Seconds()
	if usage, ok := command.ProcessState.SysUsage().(*syscall.Rusage); ok {
		c.Peak = int64(usage.Maxrss) * 1024    // KiB on Linux
		c.Written = int64(usage.Oublock) * 512 // getrusage(2)
	}
	return stdout.Bytes(), c, nil
}
