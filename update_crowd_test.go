package rdfgpu_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// crowd is everything that may be done to an open store, done to one at once. Its subjects have one version each, and those of a
// block the same one, in each state that anybody may see; a graph has the lines of one document, or none.
type crowd struct {
	t      *testing.T
	s      *rdfgpu.Store
	folder string
	seed   uint64
}

const (
	crowdBlocks = 12
	crowdBlock  = 256 // subjects: a commit of all adds and removes as many, and eight of them make a label worth settling
	crowdLines  = 400
	crowdWrites = 15 // of each writer
)

// TestEverythingAtOnce does to open stores all that may be done to them, beside each other and with more threads than there are
// cores, and closes them under the last of it: that what is read is whole, and that nothing is used whose files are closed (the race
// detector sees that of what is in memory). RDFGPU_HISTORIES says how many stores.
func TestEverythingAtOnce(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	stores := 1
	if n, err := strconv.Atoi(os.Getenv("RDFGPU_HISTORIES")); err == nil {
		stores = n
	}
	for seed := range uint64(stores) {
		dir := t.TempDir()
		c := &crowd{t: t, folder: filepath.Join(dir, "store"), seed: seed}
		c.load(filepath.Join(dir, "data.nt"))
		c.live()
		if err := errors.Join(rdfgpu.Verify(c.folder), os.RemoveAll(dir)); err != nil {
			t.Fatal(err)
		}
		if t.Failed() {
			t.Fatalf("store %d", seed)
		}
	}
}

// load loads what the crowd begins with: more than is read into memory, so that a file that was closed is one that cannot be read.
func (c *crowd) load(file string) {
	var b bytes.Buffer
	for n := range crowdBlocks * crowdBlock {
		fmt.Fprintf(&b, "<http://e/s%d> <http://e/block> <http://e/b%d> .\n<http://e/s%d> <http://e/version> \"0\" .\n", n, n/crowdBlock, n)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		c.t.Fatal(err)
	}
	if _, err := rdfgpu.Load(c.t.Context(), c.folder, []string{file}, rdfgpu.LoadOptions{}); err != nil {
		c.t.Fatal(err)
	}
}

// live opens the store, lets all of them at it until the writers are done, and closes it while some still write.
func (c *crowd) live() {
	s, err := rdfgpu.Open(c.folder, rdfgpu.Options{Writable: true, Durability: rdfgpu.Grouped, GroupEvery: time.Millisecond, LargeDocument: 8 << 10})
	if err != nil {
		c.t.Fatal(err)
	}
	c.s = s
	ctx, end := context.WithCancel(context.Background())
	var writers, others sync.WaitGroup
	for n, write := range []func(*rand.Rand) error{c.renew, c.renew, c.begin, c.put} {
		r := c.random(n)
		writers.Go(func() {
			for range crowdWrites {
				c.check(write(r))
			}
		})
	}
	for n, do := range []func(*rand.Rand) error{
		c.read, c.read, c.keep, c.goBack, c.goBack, c.dump, c.describe, c.patches, c.watch, c.maintain, c.maintain, c.backUp,
	} {
		r := c.random(100 + n)
		others.Go(func() {
			for ctx.Err() == nil && !c.t.Failed() {
				c.check(do(r))
			}
		})
	}
	writers.Wait()
	end()
	others.Wait()
	c.close()
}

func (c *crowd) random(n int) *rand.Rand { return rand.New(rand.NewPCG(c.seed, uint64(n))) }

func (c *crowd) check(err error) {
	if err != nil {
		c.t.Error(err)
	}
}

// close closes the store under those who write: each has committed, or is told that it is closed.
func (c *crowd) close() {
	var beside sync.WaitGroup
	for n, do := range []func(*rand.Rand) error{c.renew, c.renew, c.begin, c.put, c.maintain} {
		r := c.random(200 + n)
		beside.Go(func() {
			var err error
			for err == nil {
				err = do(r)
			}
			if !errors.Is(err, rdfgpu.ErrStoreClosed) {
				c.t.Error(err)
			}
		})
	}
	time.Sleep(time.Duration(c.random(300).IntN(20)) * time.Millisecond)
	c.check(c.s.Close())
	beside.Wait()
}

// renew gives all subjects of a block another version.
func (c *crowd) renew(r *rand.Rand) error {
	_, err := c.s.Update(context.Background(), fmt.Sprintf(`DELETE { ?s <http://e/version> ?v } INSERT { ?s <http://e/version> "%d" }
		WHERE { ?s <http://e/block> <http://e/b%d> ; <http://e/version> ?v }`, r.Uint32(), r.IntN(crowdBlocks)), rdfgpu.UpdateOptions{DryRun: r.IntN(8) == 0})
	return err
}

// begin adds a quad, or removes all that it added, in a transaction, which it takes back now and then.
func (c *crowd) begin(r *rand.Rand) error {
	tx, err := c.s.Begin(context.Background())
	if err != nil {
		return err
	}
	defer tx.Rollback()
	graph := iriOf("quads")
	if r.IntN(10) == 0 {
		err = tx.Clear(graph)
	} else {
		err = tx.Insert(rdfgpu.Quad{Subject: iriOf(fmt.Sprint("q", r.IntN(1000))), Predicate: iriOf("p"), Object: iriOf(fmt.Sprint("q", r.IntN(1000))), Graph: graph})
	}
	if err != nil || r.IntN(8) == 0 {
		return err
	}
	_, err = tx.Commit(context.Background())
	return err
}

// put replaces a graph by a document, large or small, or drops it.
func (c *crowd) put(r *rand.Rand) error {
	ctx := context.Background()
	if r.IntN(6) == 0 {
		if _, err := c.s.DropGraph(ctx, "http://e/g", rdfgpu.GraphOptions{}); !errors.Is(err, rdfgpu.ErrNoGraph) {
			return err
		}
		return nil
	}
	lines, version := crowdLines, r.Uint32()
	if r.IntN(2) == 0 {
		lines = 3
	}
	var b strings.Builder
	for n := range lines {
		fmt.Fprintf(&b, "<http://e/line%d> <http://e/of%d> \"%d\" .\n", n, lines, version)
	}
	_, _, err := c.s.PutGraph(ctx, "http://e/g", strings.NewReader(b.String()), rdfgpu.GraphOptions{Format: "ntriples", Replace: true})
	return err
}

// wholeBlocks and wholeGraph are the queries whose rows tell whether a state is whole.
const (
	wholeBlocks = `SELECT ?b (COUNT(DISTINCT ?v) AS ?versions) (COUNT(*) AS ?n) { ?s <http://e/block> ?b ; <http://e/version> ?v } GROUP BY ?b`
	wholeGraph  = `SELECT ?p (COUNT(DISTINCT ?v) AS ?versions) (COUNT(*) AS ?n) { GRAPH <http://e/g> { ?s ?p ?v } } GROUP BY ?p`
)

// read asks whether all is whole.
func (c *crowd) read(r *rand.Rand) error { return c.ask(c.s, r.IntN(4) == 0) }

// readable is a store, or what it was.
type readable interface {
	Query(ctx context.Context, text string, options rdfgpu.QueryOptions) (*rdfgpu.Result, error)
}

func (c *crowd) ask(s readable, graph bool) error {
	text, groups := wholeBlocks, crowdBlocks
	if graph {
		text, groups = wholeGraph, 1
	}
	result, err := s.Query(context.Background(), text, rdfgpu.QueryOptions{})
	if err != nil {
		return err
	}
	defer result.Close()
	n := 0
	for row, err := range result.Rows() {
		if err != nil {
			return err
		}
		want := strconv.Itoa(crowdBlock)
		if graph {
			want = strings.TrimPrefix(row[0].Value, "http://e/of")
		}
		if n++; row[1].Value != "1" || row[2].Value != want {
			return fmt.Errorf("at %d: %v has %s versions in %s triples", result.Sequence(), row[0], row[1].Value, row[2].Value)
		}
	}
	if n != groups && !(graph && n == 0) {
		return fmt.Errorf("at %d: %d groups", result.Sequence(), n)
	}
	return nil
}

// goBack asks whether all was whole after an earlier commit, as long as the log goes back so far.
func (c *crowd) goBack(r *rand.Rand) error {
	now := c.s.Sequence()
	s, err := c.s.At(now - min(now, uint64(r.IntN(6))))
	if errors.Is(err, rdfgpu.ErrLogGone) {
		return nil
	}
	if err != nil {
		return err
	}
	defer s.Close()
	return errors.Join(c.ask(s, true), c.ask(s, false))
}

// keep begins to read a state, lets others go on, and reads the rest.
func (c *crowd) keep(r *rand.Rand) error {
	result, err := c.s.Query(context.Background(), `SELECT ?s ?v { ?s <http://e/version> ?v }`, rdfgpu.QueryOptions{})
	if err != nil {
		return err
	}
	defer result.Close()
	n, pause := 0, r.IntN(crowdBlocks*crowdBlock)
	for _, err := range result.Rows() {
		if err != nil {
			return err
		}
		if n++; n == pause {
			time.Sleep(time.Duration(r.IntN(30)) * time.Millisecond)
		}
	}
	if n != crowdBlocks*crowdBlock {
		return fmt.Errorf("a state that was kept has %d versions", n)
	}
	return nil
}

func (c *crowd) dump(*rand.Rand) error {
	var b bytes.Buffer
	report, err := c.s.Dump(context.Background(), &b, rdfgpu.DumpOptions{})
	if err != nil {
		return err
	}
	if versions := bytes.Count(b.Bytes(), []byte(" <http://e/version> ")); versions != crowdBlocks*crowdBlock || uint64(bytes.Count(b.Bytes(), []byte("\n"))) != report.Quads {
		return fmt.Errorf("at %d: a dump of %d quads has %d versions", report.Sequence, report.Quads, versions)
	}
	return nil
}

// describe asks for what tells of the store.
func (c *crowd) describe(*rand.Rand) error {
	info, err := c.s.Info()
	if err == nil && info.Triples < 2*crowdBlocks*crowdBlock {
		err = fmt.Errorf("there are %d triples", info.Triples)
	}
	_, schema := c.s.Schema(3)
	if _, ok := c.s.Live(); !ok {
		schema = errors.Join(schema, errors.New("it is not live"))
	}
	return errors.Join(err, schema, c.s.Present())
}

// patches writes the log as patches, as far as it goes back.
func (c *crowd) patches(*rand.Rand) error {
	for entry, err := range c.s.Log(0) {
		if err == nil {
			err = c.s.WritePatch(io.Discard, entry.Sequence)
		}
		if err != nil && !errors.Is(err, rdfgpu.ErrInFiles) && !errors.Is(err, rdfgpu.ErrLogGone) {
			return err
		}
	}
	return nil
}

// watch lets a query stand for a while: its changes lead from one whole state to another.
func (c *crowd) watch(r *rand.Rand) error {
	ctx, end := context.WithTimeout(context.Background(), time.Duration(1+r.IntN(100))*time.Millisecond)
	defer end()
	versions := map[string]string{}
	for change, err := range c.s.Watch(ctx, `SELECT ?s ?v { ?s <http://e/version> ?v }`, rdfgpu.WatchOptions{}) {
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		for _, row := range change.Removed {
			if s := row.Terms[0].Value; versions[s] != row.Terms[1].Value {
				return fmt.Errorf("at %d: version %s of %s went, which was %q", change.Sequence, row.Terms[1].Value, s, versions[s])
			}
		}
		for _, row := range change.Added {
			versions[row.Terms[0].Value] = row.Terms[1].Value
		}
		if len(versions) != crowdBlocks*crowdBlock {
			return fmt.Errorf("at %d: %d versions stand", change.Sequence, len(versions))
		}
	}
	return nil
}

func (c *crowd) maintain(r *rand.Rand) error {
	do := c.s.Flush
	if r.IntN(3) == 0 {
		do = c.s.Compact
	}
	time.Sleep(time.Duration(r.IntN(30)) * time.Millisecond)
	return do(context.Background())
}

// backUp backs the store up, on top of what it did before, and reads the backup.
func (c *crowd) backUp(*rand.Rand) error {
	to := c.folder + ".backup"
	if _, err := rdfgpu.Backup(context.Background(), c.folder, to, rdfgpu.BackupOptions{}); err != nil {
		return err
	}
	s, err := rdfgpu.Open(to, rdfgpu.Options{})
	if err != nil {
		return err
	}
	return errors.Join(c.ask(s, false), s.Close())
}

// iriOf is a term below http://e/.
func iriOf(name string) rdfgpu.Term { return rdf.NewIRI("http://e/" + name) }
