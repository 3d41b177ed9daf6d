package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// server is rdfgpu serve over one store. It is started anew where a query cannot be ended otherwise.
type server struct {
	settings *settings
	name     string
	store    string
	temp     string // its folder for temporary files

	mu         sync.Mutex // guards what follows, up to the empty line
	command    *exec.Cmd
	address    string
	generation int
	exited     chan struct{}
	reading    sync.WaitGroup

	noting sync.Mutex // guards faults
	faults []string   // lines of the log that tell of a defect
}

// What a server has to start and to stop.
const (
	startTime = 60 * time.Second
	stopTime  = 20 * time.Second
)

var (
	servedAt  = regexp.MustCompile(`msg=serving url=http://(\S+)/`)
	faultLine = regexp.MustCompile(`panicked|internal fault|^panic:|^fatal error:|^runtime: |DATA RACE|level=ERROR`)
)

// newServer prepares a server whose temporary files lie apart.
func newServer(s *settings, name, store string) (*server, error) {
	temp := filepath.Join(s.Keep, "tmp-"+name)
	if err := os.RemoveAll(temp); err != nil {
		return nil, err
	}
	return &server{settings: s, name: name, store: store, temp: temp}, os.MkdirAll(temp, 0o755)
}

// start starts the program and waits until it listens.
func (s *server) start() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.startLocked()
}

func (s *server) startLocked() error {
	args := append([]string{"serve", s.store, "--addr", "127.0.0.1:0", "--timeout", s.settings.Timeout.String(),
		"--max-memory", strconv.FormatInt(s.settings.Memory, 10)}, s.settings.Server...)
	command := exec.Command(s.settings.Rdfgpu, args...)
	command.Env = append(os.Environ(), "TMPDIR="+s.temp)
	log, err := command.StderrPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return err
	}
	found, exited := make(chan string, 1), make(chan struct{})
	s.reading.Go(func() {
		s.readLog(log, found)
		command.Wait()
		close(exited)
	})
	select {
	case s.address = <-found:
	case <-exited:
		return fmt.Errorf("%s %s ended at once: see its log", s.settings.Rdfgpu, strings.Join(args, " "))
	case <-time.After(startTime):
		command.Process.Kill()
		return fmt.Errorf("%s %s does not listen", s.settings.Rdfgpu, strings.Join(args, " "))
	}
	s.command, s.exited = command, exited
	s.generation++
	return nil
}

// readLog keeps the log and looks for the address and for defects.
func (s *server) readLog(log io.Reader, found chan<- string) {
	file, err := os.OpenFile(filepath.Join(s.settings.Keep, "server-"+s.name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		io.Copy(io.Discard, log)
		return
	}
	defer file.Close()
	reader := bufio.NewReaderSize(log, 1<<16)
	for {
		line, err := reader.ReadString('\n')
		file.WriteString(line)
		if m := servedAt.FindStringSubmatch(line); m != nil {
			found <- m[1]
		}
		if faultLine.MatchString(line) {
			s.note(line)
		}
		if err != nil {
			return
		}
	}
}

// maxFaults bounds the lines that are kept of a log.
const maxFaults = 1000

func (s *server) note(line string) {
	s.noting.Lock()
	defer s.noting.Unlock()
	if len(s.faults) < maxFaults {
		s.faults = append(s.faults, strings.TrimSpace(line[:min(len(line), 500)]))
	}
}

// at is the address and the generation that listens there.
func (s *server) at() (address string, generation int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.address, s.generation
}

// pid is the process that runs.
func (s *server) pid() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.command.Process.Pid
}

// dead reports whether the process of a generation has ended.
func (s *server) dead(generation int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.generation != generation {
		return true
	}
	select {
	case <-s.exited:
		return true
	default:
		return false
	}
}

// replace kills the process of a generation, if it is still the one that runs, and starts another.
func (s *server) replace(generation int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.generation != generation {
		return nil
	}
	s.command.Process.Kill()
	<-s.exited
	return s.startLocked()
}

// stop ends the server as an operator would.
func (s *server) stop() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.reading.Wait()
	s.command.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.exited:
		return nil
	case <-time.After(stopTime):
		s.command.Process.Kill()
		<-s.exited
		return errors.New("the server did not stop")
	}
}

// leftovers lists the temporary files that are there.
func (s *server) leftovers() []string {
	entries, _ := os.ReadDir(s.temp)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// ask asks an idle server a query and returns the answer as tab-separated values.
func (s *server) ask(ctx context.Context, query string) (string, error) {
	c := newConnection(s, "")
	defer c.close()
	var text strings.Builder
	a := c.send(ctx, plain(query), &text)
	if a.Err != "" || a.Status != 200 || a.Broken {
		return "", fmt.Errorf("status %d %s", a.Status, a.Err)
	}
	return text.String(), nil
}
