package main

import (
	"bufio"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// clients are the programs of examples/watch by the tool that runs them.
var clients = []struct{ tool, file string }{{"go", "main.go"}, {"python3", "watch.py"}, {"node", "watch.mjs"}}

const clientsFolder = "../../examples/watch"

// TestExamplesOfClientsAreShort: fewer than 30 lines that are neither empty nor comment nor import.
func TestExamplesOfClientsAreShort(t *testing.T) {
	t.Parallel()
	apart := regexp.MustCompile(`(?ms)^package main$|^import \(.*?^\)$|^import .*?$|^\s*(//|#).*?$`)
	for _, c := range clients {
		text, err := os.ReadFile(filepath.Join(clientsFolder, c.file))
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for line := range strings.Lines(apart.ReplaceAllString(string(text), "")) {
			if strings.TrimSpace(line) != "" {
				n++
			}
		}
		if n == 0 || n >= 30 {
			t.Errorf("%s has %d lines, fewer than 30 are promised", c.file, n)
		}
	}
}

// listener is a client that runs, and what it has printed.
type listener struct {
	process *exec.Cmd
	stderr  strings.Builder
	done    sync.WaitGroup

	mu  sync.Mutex
	sum multiset
	err error
}

// listen starts a client of a query whose variables are a and b.
func listen(t *testing.T, command ...string) *listener {
	t.Helper()
	l := &listener{process: exec.Command(command[0], command[1:]...), sum: multiset{}}
	l.process.Stderr = &l.stderr
	out, err := l.process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := l.process.Start(); err != nil {
		t.Fatal(err)
	}
	l.done.Go(func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			l.take(lines.Text())
		}
	})
	t.Cleanup(func() { l.end() })
	return l
}

// take adds up a line: a sign and a solution of SPARQL JSON.
func (l *listener) take(line string) {
	sign, row, _ := strings.Cut(line, " ")
	times, known := map[string]int{"+": 1, "-": -1}[sign]
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.sum.add(strings.NewReader(`{"head":{"vars":["a","b"]},"results":{"bindings":[`+row+`]}}`), times)
	if !known {
		err = fmt.Errorf("%q is no row that came or went", line)
	}
	if l.err == nil {
		l.err = err
	}
}

// end kills the client.
func (l *listener) end() {
	_ = l.process.Process.Kill()
	l.done.Wait()
	_ = l.process.Wait()
}

// awaits waits until what was printed adds up to these solutions.
func (l *listener) awaits(t *testing.T, want multiset) {
	t.Helper()
	for until := time.Now().Add(2 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
		l.mu.Lock()
		got, err := maps.Clone(l.sum), l.err
		l.mu.Unlock()
		if err != nil {
			t.Fatal(err)
		}
		if maps.Equal(got, want) {
			return
		}
		if time.Now().After(until) {
			l.end()
			t.Fatalf("%v was told, %v is there; it said %s", got, want, l.stderr.String())
		}
	}
}

// TestExamplesOfClientsGoOnOverTheDeathOfTheServer: what they print adds up to the solutions, also of what was changed while they were cut off.
func TestExamplesOfClientsGoOnOverTheDeathOfTheServer(t *testing.T) {
	for _, c := range clients {
		t.Run(c.tool, func(t *testing.T) {
			t.Parallel()
			path, err := exec.LookPath(c.tool)
			if err != nil {
				t.Skipf("%s is not installed", c.tool)
			}
			command := []string{path, filepath.Join(clientsFolder, c.file)}
			if c.tool == "go" {
				program := filepath.Join(t.TempDir(), "watch.exe")
				if said, err := exec.Command(path, "build", "-o", program, command[1]).CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, said)
				}
				command = []string{program}
			}
			watchOverDeath(t, command)
		})
	}
}

func watchOverDeath(t *testing.T, command []string) {
	k := newKillable(t, "<http://e/a> <http://e/p> <http://e/b> .\n<http://e/b> <http://e/p> \"o: \\\"\u2028\" .\n")
	k.start()
	defer func() { k.end(os.Kill) }()
	const query = "SELECT ?a ?b { ?a <http://e/p> ?b }"
	update := func(text string) {
		t.Helper()
		if _, ok := k.update(text); !ok {
			t.Fatalf("%s is not answered", text)
		}
	}
	client := listen(t, append(command, k.url("subscribe"), query)...)
	client.awaits(t, k.solutions(query, "homomorphism"))
	update("INSERT DATA { :c :p :d , \"e\"@en } ; DELETE DATA { :a :p :b }")
	client.awaits(t, k.solutions(query, "homomorphism"))
	for i := range 2 {
		update(fmt.Sprintf("INSERT DATA { :before :p %d }", i))
		k.end(os.Kill)
		k.start()
		update(fmt.Sprintf("INSERT DATA { :after :p %d } ; DELETE DATA { :c :p :d }", i)) // the client is not there yet, or just so
		client.awaits(t, k.solutions(query, "homomorphism"))
	}
	wrong := listen(t, append(command, k.url("subscribe"), "SELECT")...)
	wrong.done.Wait()
	if wrong.process.Wait() == nil {
		t.Error("a client whose query is wrong ends as if all were well")
	}
}
