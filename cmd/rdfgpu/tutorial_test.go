//go:build unix

package main

import (
	"bytes"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// step is a command of the tutorial, and what it prints: … stands for any text within a line, and alone for any lines.
type step struct {
	command string
	printed []string
}

// tutorial reads the commands of docs/TUTORIAL.md: indented lines that begin with $, with the lines of their here-document, and what follows.
func tutorial(t *testing.T) (steps []step) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "TUTORIAL.md"))
	if err != nil {
		t.Fatal(err)
	}
	heredoc := false
	for line := range strings.SplitSeq(string(text), "\n") {
		code, indented := strings.CutPrefix(line, "    ")
		if !indented {
			continue
		}
		if command, ok := strings.CutPrefix(code, "$ "); ok {
			steps = append(steps, step{command: command})
			heredoc = strings.Contains(command, "<<'END'")
			continue
		}
		last := &steps[len(steps)-1]
		if !heredoc {
			last.printed = append(last.printed, code)
			continue
		}
		last.command += "\n" + code
		heredoc = code != "END"
	}
	return steps
}

// pattern matches what a command prints.
func (s *step) pattern() *regexp.Regexp {
	text := "^"
	for _, line := range s.printed {
		if line == "…" {
			text += `(?:.*\n)*`
			continue
		}
		text += strings.ReplaceAll(regexp.QuoteMeta(line), "…", ".*") + `\n`
	}
	return regexp.MustCompile(text + "$")
}

// output is what a command that goes on has printed so far.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(b)
}

// String is all of it, with the ends of lines that a terminal shows: those of CSV are two characters.
func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.ReplaceAll(o.text.String(), "\r\n", "\n")
}

// TestTheTutorialSaysWhatHappens runs the commands of the tutorial in their order.
func TestTheTutorialSaysWhatHappens(t *testing.T) {
	if testing.Short() {
		t.Skip("it loads a data set")
	}
	dir := t.TempDir()
	data, err := filepath.Abs(filepath.Join("..", "..", "testdata"))
	if err == nil {
		err = os.Symlink(data, filepath.Join(dir, "testdata"))
	}
	if err != nil {
		t.Fatal(err)
	}
	address := freeAddress(t)
	shell := func(command string, out *output) *exec.Cmd {
		command = strings.ReplaceAll(command, "127.0.0.1:7878", address)
		command = strings.Replace(command, "rdfgpu serve ", "rdfgpu serve --addr "+address+" ", 1)
		c := exec.Command("sh", "-c", command)
		c.Dir, c.Stdout, c.SysProcAttr = dir, out, &syscall.SysProcAttr{Setpgid: true}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		return c
	}
	last := map[string]func() bool{}
	told := &output{} // of the last query that stands
	for _, s := range tutorial(t) {
		out, pattern := &output{}, s.pattern()
		command, stays := strings.CutSuffix(s.command, " &")
		switch {
		case strings.HasPrefix(command, "make ") || strings.HasPrefix(command, "PATH="):
		case stays:
			c := shell(command, out)
			t.Cleanup(func() { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL); _ = c.Wait() })
			began := func() bool { return serves(address) }
			if len(s.printed) > 0 {
				began = func() bool { return strings.HasPrefix(out.String(), s.printed[0]+"\n") }
				last[command] = func() bool { return pattern.MatchString(out.String()) }
				told = out
			}
			waitUntil(t, command, began)
		default:
			before := told.String()
			if err := shell(command, out).Wait(); err != nil || !pattern.MatchString(out.String()) {
				t.Errorf("$ %s\n%s\n%v, and the tutorial says\n%s", command, out, err, strings.Join(s.printed, "\n"))
			}
			if strings.HasPrefix(command, "rdfgpu update ") { // else it may be told of the next with this one
				waitUntil(t, command, func() bool { return told.String() != before })
			}
		}
	}
	for command, printed := range last {
		waitUntil(t, command, printed)
	}
	if len(last) == 0 {
		t.Error("no command went on")
	}
}

// serves reports whether a server answers.
func serves(address string) bool {
	response, err := http.Get("http://" + address + "/readyz")
	if err != nil {
		return false
	}
	response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// waitUntil waits for what a command should have done.
func waitUntil(t *testing.T, command string, done func() bool) {
	t.Helper()
	for start := time.Now(); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Since(start) > time.Minute {
			t.Fatalf("$ %s\ndoes not do what the tutorial says", command)
		}
	}
}

// freeAddress is an address of loopback that nobody listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
