package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu"
	"github.com/rdfgpu/rdfgpu/internal/results"
)

// killable is a server in a process of its own, which is killed and started again at the same address.
type killable struct {
	t       *testing.T
	store   string
	address string // host:port; "" before the first start
	flags   []string
	process *exec.Cmd
}

// start returns once the server listens.
func (k *killable) start() {
	k.t.Helper()
	self, err := os.Executable()
	if err != nil {
		k.t.Fatal(err)
	}
	listen := k.address
	if listen == "" {
		listen = "127.0.0.1:0"
	}
	k.process = exec.Command(self)
	k.process.Args = []string{"rdfgpu", "serve", k.store, "--writable", "--device", "cpu", "--heartbeat", "50ms", "--addr", listen}
	k.process.Args = append(k.process.Args, k.flags...)
	log, err := k.process.StderrPipe()
	if err != nil {
		k.t.Fatal(err)
	}
	if err := k.process.Start(); err != nil {
		k.t.Fatal(err)
	}
	lines := bufio.NewScanner(log)
	said := ""
	for lines.Scan() {
		said += lines.Text() + "\n"
		if m := regexp.MustCompile(`url=http://([^/]+)/`).FindStringSubmatch(lines.Text()); m != nil {
			k.address = m[1]
			go io.Copy(io.Discard, log)
			return
		}
	}
	k.t.Fatalf("the server does not start: %s", said)
}

// end sends a signal and waits for the end.
func (k *killable) end(signal os.Signal) {
	_ = k.process.Process.Signal(signal)
	_ = k.process.Wait()
}

func (k *killable) url(path string) string { return "http://" + k.address + "/" + path }

// update sends one; false where nobody answers. The update may be there then, or not.
func (k *killable) update(text string) (sequence uint64, ok bool) {
	response, err := http.Post(k.url("update"), "application/sparql-update", strings.NewReader("PREFIX : <http://e/> "+text))
	if err != nil {
		return 0, false
	}
	defer response.Body.Close()
	var report rdfgpu.UpdateReport
	if response.StatusCode != 200 || json.NewDecoder(response.Body).Decode(&report) != nil {
		return 0, false
	}
	return report.Sequence, true
}

// solutions are those of a query now.
func (k *killable) solutions(query, semantics string) multiset {
	k.t.Helper()
	response, err := http.PostForm(k.url("sparql"), url.Values{"query": {query}, "semantics": {semantics}})
	if err != nil {
		k.t.Fatal(err)
	}
	defer response.Body.Close()
	all := multiset{}
	if err := all.add(response.Body, 1); err != nil {
		k.t.Fatal(err)
	}
	return all
}

// multiset counts solutions by their text.
type multiset map[string]int

// add counts SPARQL JSON.
func (m multiset) add(in io.Reader, times int) error {
	table, err := results.Read(in, results.JSON)
	if err != nil {
		return err
	}
	for _, row := range table.Rows {
		key := fmt.Sprint(row)
		if m[key] += times; m[key] < 0 {
			return fmt.Errorf("%s has gone that was not there", key)
		}
		if m[key] == 0 {
			delete(m, key)
		}
	}
	return nil
}

// watcher is a client that dies now and then, and what it was told over all its lives.
type watcher struct {
	query, semantics string

	mu       sync.Mutex
	sum      multiset
	begun    bool
	sequence uint64
	events   int
	err      error
}

// live watches until ctx ends; the lives before have been told all up to the watcher's sequence.
func (w *watcher) live(ctx context.Context, address string) {
	args := []string{"watch", address, w.query, "--semantics", w.semantics, "--format", "json"}
	if w.begun {
		args = append(args, "--from", strconv.FormatUint(w.sequence, 10))
	}
	out, in := io.Pipe()
	var done sync.WaitGroup
	done.Go(func() {
		lines := bufio.NewReader(out)
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return
			}
			w.take(line)
		}
	})
	var said bytes.Buffer
	if code := run(args, &environment{ctx: ctx, stdin: strings.NewReader(""), stdout: in, stderr: &said}); code != 0 && ctx.Err() == nil {
		w.fail(fmt.Errorf("exit code %d: %s", code, said.String()))
	}
	in.Close()
	done.Wait()
}

func (w *watcher) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
	}
}

// take adds a line up.
func (w *watcher) take(line []byte) {
	var e struct {
		Event          string
		Sequence       uint64
		Added, Removed json.RawMessage
	}
	err := json.Unmarshal(line, &e)
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case err != nil:
	case e.Event == "snapshot" && w.begun:
		err = fmt.Errorf("a snapshot at %d, where the watcher goes on after %d", e.Sequence, w.sequence)
	case e.Event == "change" && e.Sequence <= w.sequence, e.Sequence < w.sequence:
		err = fmt.Errorf("commit %d comes after %d", e.Sequence, w.sequence)
	}
	if err == nil && e.Event != "progress" {
		w.events++
		if err = w.sum.add(bytes.NewReader(e.Added), 1); err == nil {
			err = w.sum.add(bytes.NewReader(e.Removed), -1)
		}
	}
	if w.err == nil {
		w.err = err
	}
	w.begun, w.sequence = true, e.Sequence
}

func (w *watcher) state() (sequence uint64, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sequence, w.err
}

// followingEachOther are two triples that come back to where they begin.
const followingEachOther = "<http://e/n1> <http://e/p> <http://e/n2> .\n<http://e/n2> <http://e/p> <http://e/n1> .\n"

// newKillable loads N-Triples into a store, for a server that will be killed.
func newKillable(t *testing.T, triples string) *killable {
	t.Helper()
	dir := t.TempDir()
	data := filepath.Join(dir, "data.nt")
	if err := os.WriteFile(data, []byte(triples), 0o600); err != nil {
		t.Fatal(err)
	}
	k := &killable{t: t, store: filepath.Join(dir, "made.store")}
	if _, err := rdfgpu.Load(t.Context(), k.store, []string{data}, rdfgpu.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	return k
}

// deaths is how often a server is killed: RDFGPU_KILLS says.
func deaths() int {
	if n, err := strconv.Atoi(os.Getenv("RDFGPU_KILLS")); err == nil {
		return n
	}
	return 5
}

// TestWatchingGoesOnOverDeaths: a server that is killed in the middle of writes, or stopped, and clients that die: what clients were told
// adds up to the solutions, and nothing comes twice. RDFGPU_KILLS is how often the server dies.
func TestWatchingGoesOnOverDeaths(t *testing.T) {
	kills, k := deaths(), newKillable(t, followingEachOther)
	k.start()
	defer func() { k.end(os.Kill) }()
	const prefix = "PREFIX : <http://e/> "
	watchers := []*watcher{
		{query: prefix + "SELECT ?a ?b { ?a :p ?b . ?b :p ?a }", semantics: "homomorphism"},
		{query: prefix + "SELECT ?a { ?a :p ?b . ?b :p ?c FILTER (?a != ?c) }", semantics: "isomorphism"},
		{query: prefix + "SELECT DISTINCT ?b { ?a :p ?b . ?b :p ?c }", semantics: "edge-isomorphism"},
		{query: prefix + "SELECT ?b (COUNT(*) AS ?n) { ?a :p ?b } GROUP BY ?b", semantics: "homomorphism"},
		{query: prefix + "SELECT ?a ?c { ?a :p ?b OPTIONAL { ?b :p ?c . ?c :p ?a } }", semantics: "homomorphism"},
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var watching sync.WaitGroup
	address := k.url("")
	for i, w := range watchers {
		w.sum = multiset{}
		watching.Go(func() {
			for ctx.Err() == nil {
				if _, err := w.state(); err != nil {
					return
				}
				life, end := context.WithTimeout(ctx, time.Duration(200+rand.IntN(400))*time.Millisecond)
				if i == 0 || !w.begun { // which lives on, or has not begun
					end()
					life, end = context.WithCancel(ctx)
				}
				w.live(life, address)
				end()
			}
		})
	}
	writing, enough := context.WithCancel(ctx)
	var writer sync.WaitGroup
	writer.Go(func() { writeUntil(writing, address) })
	for i := range kills {
		time.Sleep(time.Duration(150+rand.IntN(300)) * time.Millisecond)
		signal := os.Signal(os.Kill)
		if i%3 == 2 {
			signal = syscall.SIGTERM
		}
		k.end(signal)
		k.start()
	}
	time.Sleep(200 * time.Millisecond)
	enough()
	writer.Wait()
	last, ok := k.update("INSERT DATA { :end :p :n1 . :n1 :p :end }")
	if !ok {
		t.Fatal("the last update is not answered")
	}
	for until := time.Now().Add(2 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
		behind := 0
		for _, w := range watchers {
			sequence, err := w.state()
			if err != nil {
				t.Fatalf("%s: %v", w.query, err)
			}
			if sequence < last {
				behind++
			}
		}
		if behind == 0 {
			break
		}
		if time.Now().After(until) {
			t.Fatalf("%d watchers are not at commit %d", behind, last)
		}
	}
	stop()
	watching.Wait()
	for _, w := range watchers {
		if want := k.solutions(w.query, w.semantics); !maps.Equal(w.sum, want) {
			t.Errorf("%s: %v was told, %v is there", w.query, w.sum, want)
		}
		t.Logf("%d events up to commit %d: %s", w.events, last, w.query)
	}
	http.DefaultClient.CloseIdleConnections()
}

// writeUntil adds and removes edges among few vertices until ctx ends, whoever listens.
func writeUntil(ctx context.Context, address string) {
	k := &killable{address: strings.TrimSuffix(strings.TrimPrefix(address, "http://"), "/")}
	for ctx.Err() == nil {
		edge := func() string { return fmt.Sprintf(":n%d :p :n%d", rand.IntN(6), rand.IntN(6)) }
		if _, ok := k.update(fmt.Sprintf("DELETE DATA { %s . %s } ; INSERT DATA { %s . %s }", edge(), edge(), edge(), edge())); !ok {
			time.Sleep(5 * time.Millisecond)
		}
	}
}
