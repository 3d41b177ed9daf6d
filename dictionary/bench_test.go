//go:build unix

package dictionary

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sys/unix"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// A benchData is the dictionary of one data set of RDFGPU_DATA, or of generated terms.
type benchData struct {
	d     *Dictionary
	terms int
	text  int // bytes of all terms in N-Triples
}

var (
	benchMutex sync.Mutex
	benchCache = map[string]*benchData{}
)

func loadBench(b *testing.B, name string) *benchData {
	b.Helper()
	benchMutex.Lock()
	defer benchMutex.Unlock()
	if benchCache[name] == nil {
		keys, predicates := generatedKeys()
		if name != "generated" {
			keys, predicates = dataKeys(b, name)
		}
		benchCache[name] = buildBench(b, keys, predicates)
	}
	return benchCache[name]
}

func generatedKeys() (keys, predicates map[string]bool) {
	keys, predicates = map[string]bool{}, map[string]bool{"<http://example.org/p": true}
	for i := range 1_000_000 {
		keys[fmt.Sprintf("<http://www.Department%d.University%d.edu/GraduateStudent%d", i%19, i/4000, i%4000)] = true
	}
	return keys, predicates
}

// dataKeys reads the terms of a file in N-Triples, by a rough scanner: good enough to measure with.
func dataKeys(b *testing.B, name string) (keys, predicates map[string]bool) {
	dir := os.Getenv("RDFGPU_DATA")
	if dir == "" {
		b.Skip("RDFGPU_DATA is not set")
	}
	f, err := os.Open(filepath.Join(dir, name, "data.nt.zst"))
	if err != nil {
		b.Skip(err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		b.Fatal(err)
	}
	defer z.Close()
	keys, predicates = map[string]bool{}, map[string]bool{}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<24)
	var key []byte
	for lines.Scan() {
		line := bytes.TrimSuffix(bytes.TrimSpace(lines.Bytes()), []byte(" ."))
		parts := bytes.SplitN(line, []byte(" "), 3)
		if len(parts) < 3 {
			continue
		}
		for i, p := range parts {
			key = roughKey(key[:0], bytes.TrimSpace(p))
			if i == 1 {
				predicates[string(key)] = true
			} else if !keys[string(key)] {
				keys[string(key)] = true
			}
		}
	}
	return keys, predicates
}

func roughKey(dst, s []byte) []byte {
	switch s[0] {
	case '<':
		return append(dst, s[:len(s)-1]...)
	case '_':
		return append(dst, s...)
	}
	end := bytes.LastIndexByte(s, '"')
	t := rdf.NewString(string(s[1:end]))
	switch tail := s[end+1:]; {
	case bytes.HasPrefix(tail, []byte("@")):
		t = rdf.NewLangString(t.Value, string(tail[1:]))
	case bytes.HasPrefix(tail, []byte("^^<")):
		t = rdf.NewTyped(t.Value, string(tail[3:len(tail)-1]))
	}
	dst, _ = AppendKey(dst, t)
	return dst
}

func buildBench(b *testing.B, keys, predicates map[string]bool) *benchData {
	rows := make([]sortRow, 0, len(keys))
	for k := range keys {
		if predicates[k] {
			continue
		}
		order, section, err := AppendSortKey(nil, []byte(k))
		if err != nil {
			b.Fatal(err)
		}
		rows = append(rows, sortRow{section, order, []byte(k)})
	}
	slices.SortFunc(rows, func(a, b sortRow) int {
		if a.section != b.section {
			return int(a.section) - int(b.section)
		}
		return bytes.Compare(a.order, b.order)
	})
	dir, err := os.MkdirTemp("", "dictionary-bench-")
	if err != nil {
		b.Fatal(err)
	}
	defer os.RemoveAll(dir) // the files stay mapped
	w, err := Create(dir)
	if err != nil {
		b.Fatal(err)
	}
	sorted := make([]string, 0, len(predicates))
	for p := range predicates {
		sorted = append(sorted, p)
	}
	slices.Sort(sorted)
	for _, p := range sorted {
		if _, err := w.Predicate([]byte(p)); err != nil {
			b.Fatal(err)
		}
	}
	for _, r := range rows {
		if _, err := w.Add(r.key); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Finish(); err != nil {
		b.Fatal(err)
	}
	d, err := Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	data := &benchData{d: d, terms: d.Len()}
	var text []byte
	for i := range d.Len() {
		text = d.AppendNTriples(text[:0], ID(i))
		data.text += len(text)
	}
	return data
}

var benchSets = []string{"watdiv10m", "lubm10", "debian12", "generated"}

func BenchmarkSize(b *testing.B) {
	for _, name := range benchSets {
		b.Run(name, func(b *testing.B) {
			data := loadBench(b, name)
			for b.Loop() {
			}
			b.ReportMetric(float64(data.terms), "terms")
			b.ReportMetric(float64(data.text)/float64(data.terms), "text-B/term")
			total := int64(0)
			for file, size := range data.d.base.Bytes() {
				total += size
				b.ReportMetric(float64(size)/float64(data.terms), file+"-B/term")
			}
			b.ReportMetric(float64(total)/float64(data.terms), "B/term")
		})
	}
}

// access runs f on 440,000 IDs: the first and the first strings, in order, and random ones. The rate is by the processor time that was used,
// which means something on a busy machine too.
func access(b *testing.B, f func(b *testing.B, d *Dictionary, ids []ID)) {
	for _, name := range benchSets {
		for _, order := range []string{"random", "near", "strings"} {
			b.Run(name+"/"+order, func(b *testing.B) {
				data := loadBench(b, name)
				first, n := ID(0), data.terms
				if order == "strings" {
					strings := data.d.Section(0, Strings)
					first, n = strings.From, strings.Len()
				}
				ids := make([]ID, min(440_000, n))
				if len(ids) == 0 {
					b.Skip("no strings")
				}
				rng := rand.New(rand.NewPCG(1, 1))
				for i := range ids {
					if ids[i] = first + ID(i); order == "random" {
						ids[i] = ID(rng.IntN(n))
					}
				}
				f(b, data.d, ids)
			})
		}
	}
}

// measure runs f, which handles n terms, until there is enough to report.
func measure(b *testing.B, n int, f func()) {
	before := processorTime(b)
	for b.Loop() {
		f()
	}
	used := processorTime(b) - before
	b.ReportMetric(float64(b.N)*float64(n)/used.Seconds()/1e6, "Mterms/s")
}

func processorTime(b *testing.B) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func BenchmarkAppendNTriples(b *testing.B) {
	var buffer []byte
	access(b, func(b *testing.B, d *Dictionary, ids []ID) {
		measure(b, len(ids), func() {
			buffer = buffer[:0]
			for _, id := range ids {
				buffer = d.AppendNTriples(buffer, id)
			}
		})
	})
}

func BenchmarkWarmAppendNTriples(b *testing.B) {
	var buffer []byte
	access(b, func(b *testing.B, d *Dictionary, ids []ID) {
		measure(b, len(ids), func() {
			buffer = buffer[:0]
			for chunk := range slices.Chunk(ids, 256) {
				d.Warm(chunk)
				for _, id := range chunk {
					buffer = d.AppendNTriples(buffer, id)
				}
			}
		})
	})
}

func BenchmarkTerm(b *testing.B) {
	access(b, func(b *testing.B, d *Dictionary, ids []ID) {
		measure(b, len(ids), func() {
			for _, id := range ids {
				_ = d.Term(id)
			}
		})
	})
}

func BenchmarkLookup(b *testing.B) {
	access(b, func(b *testing.B, d *Dictionary, ids []ID) {
		terms := make([]rdf.Term, len(ids))
		for i, id := range ids {
			terms[i] = d.Term(id)
		}
		measure(b, len(ids), func() {
			for i, t := range terms {
				if id, ok := d.Lookup(t); !ok || id != ids[i] {
					b.Fatal("not found")
				}
			}
		})
	})
}

// BenchmarkValue reads 440,000 values of numbers among 1,000,000, in order and at random.
func BenchmarkValue(b *testing.B) {
	terms := make([]rdf.Term, 1_000_000)
	for i := range terms {
		terms[i] = rdf.NewTyped(fmt.Sprint(i), rdf.XSDInteger)
	}
	d, err := FromTerms(terms)
	if err != nil {
		b.Fatal(err)
	}
	for _, order := range []string{"random", "near"} {
		b.Run(order, func(b *testing.B) {
			ids := make([]ID, 440_000)
			rng := rand.New(rand.NewPCG(1, 1))
			for i := range ids {
				if ids[i] = ID(i); order == "random" {
					ids[i] = ID(rng.IntN(d.Len()))
				}
			}
			sum := int64(0)
			measure(b, len(ids), func() {
				for _, id := range ids {
					sum += d.Value(id).Int
				}
			})
		})
	}
}

// BenchmarkValueRange finds the ranges of comparisons with a number, a date and a string.
func BenchmarkValueRange(b *testing.B) {
	var terms []rdf.Term
	for i := range 100_000 {
		terms = append(terms, rdf.NewTyped(fmt.Sprint(i), rdf.XSDInteger), rdf.NewTyped(fmt.Sprintf("%d.5", i), rdf.XSDDecimal), rdf.NewString(fmt.Sprintf("text %d", i)),
			rdf.NewTyped(time.Unix(int64(i)*86_400, 0).UTC().Format("2006-01-02"), rdf.XSDDate))
	}
	d, err := FromTerms(terms)
	if err != nil {
		b.Fatal(err)
	}
	for name, constant := range map[string]rdf.Term{"number": rdf.NewTyped("777.25", rdf.XSDDecimal), "date": rdf.NewTyped("1999-12-31", rdf.XSDDate), "string": rdf.NewString("text 7")} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				d.ValueRange(IsLess, constant)
			}
		})
	}
}

// BenchmarkSegments looks up and decodes the terms of the last of some segments, in random order.
func BenchmarkSegments(b *testing.B) {
	name := func(i int) rdf.Term { return rdf.NewIRI(fmt.Sprintf("http://example.org/a/long/way/to/%d", i)) }
	terms := func(from, n int) (list []rdf.Term) {
		for i := range n {
			list = append(list, name(from+i))
		}
		return list
	}
	const n = 100_000
	d, err := FromTerms(terms(0, 4*n))
	if err != nil {
		b.Fatal(err)
	}
	last := 0
	for segments := 1; segments <= 8; segments++ {
		list := slices.Clone(terms(last, n))
		rand.New(rand.NewPCG(1, 1)).Shuffle(n, func(i, j int) { list[i], list[j] = list[j], list[i] })
		b.Run(fmt.Sprintf("Lookup/%d", segments), func(b *testing.B) {
			measure(b, n, func() {
				for _, t := range list {
					if _, ok := d.Lookup(t); !ok {
						b.Fatal("not found")
					}
				}
			})
		})
		b.Run(fmt.Sprintf("Term/%d", segments), func(b *testing.B) {
			ids := make([]ID, n)
			for i, t := range list {
				ids[i], _ = d.Lookup(t)
			}
			measure(b, n, func() {
				for _, id := range ids {
					_ = d.Term(id)
				}
			})
		})
		last = (segments + 3) * n
		if d, err = d.Extend(terms(last, n)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkTail reads numbers and IRIs of a dictionary without a tail, of the same with a tail behind it, and of the tail
// itself, and adds terms to one.
func BenchmarkTail(b *testing.B) {
	const n = 100_000
	name := func(i int) rdf.Term {
		if i%2 == 0 {
			return rdf.NewTyped(fmt.Sprint(i), rdf.XSDInteger)
		}
		return rdf.NewIRI(fmt.Sprintf("http://example.org/a/long/way/to/%d", i))
	}
	var terms []rdf.Term
	var keys [][]byte
	for i := range 2 * n {
		key, _ := AppendKey(nil, name(i))
		terms, keys = append(terms, name(i)), append(keys, key)
	}
	base, err := FromTerms(terms[:n])
	if err != nil {
		b.Fatal(err)
	}
	fill := func() *Tail {
		tail := NewTail(base)
		for _, key := range keys[n:] {
			if _, err := tail.Intern(key); err != nil {
				b.Fatal(err)
			}
		}
		return tail
	}
	tail := fill()
	view := tail.Dictionary(n)
	for _, c := range []struct {
		name string
		d    *Dictionary
		from int
	}{{"without", base, 0}, {"before", view, 0}, {"in", view, n}} {
		ids, list := make([]ID, n), keys[c.from:c.from+n]
		for i := range ids {
			ids[i] = ID(c.from + i)
		}
		rand.New(rand.NewPCG(1, 1)).Shuffle(n, func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
		var buffer []byte
		for _, m := range []struct {
			name string
			read func(i int)
		}{
			{"Term", func(i int) { _ = c.d.Term(ids[i]) }},
			{"Value", func(i int) { _ = c.d.Value(ids[i]) }},
			{"Kind", func(i int) { _ = c.d.Kind(ids[i]) }},
			{"AppendNTriples", func(i int) { buffer = c.d.AppendNTriples(buffer[:0], ids[i]) }},
			{"LookupKey", func(i int) { c.d.LookupKey(list[i]) }},
		} {
			b.Run(m.name+"/"+c.name, func(b *testing.B) {
				measure(b, n, func() {
					for i := range n {
						m.read(i)
					}
				})
			})
		}
	}
	b.Run("Intern", func(b *testing.B) {
		measure(b, n, func() { fill() })
		b.ReportMetric(float64(tail.Bytes())/n, "B/term")
	})
	b.Run("Dictionary", func(b *testing.B) {
		for b.Loop() {
			view = tail.Dictionary(n / 2)
		}
	})
}

// BenchmarkValueIDs finds the numbers of a tail that lie between two constants.
func BenchmarkValueIDs(b *testing.B) {
	d, err := FromTerms(nil)
	if err != nil {
		b.Fatal(err)
	}
	tail := NewTail(d)
	for i := range 1_000_000 {
		key, _ := AppendKey(nil, rdf.NewTyped(fmt.Sprint(i*7919%1_000_000), rdf.XSDInteger))
		if _, err := tail.Intern(key); err != nil {
			b.Fatal(err)
		}
	}
	integer := func(i int) rdf.Term { return rdf.NewTyped(fmt.Sprint(i), rdf.XSDInteger) }
	for _, terms := range []int{1000, 100_000, 1_000_000} {
		d := tail.Dictionary(terms)
		b.Run(fmt.Sprint(terms), func(b *testing.B) {
			for b.Loop() {
				d.ValueIDs([]Condition{{IsGreaterOrEqual, integer(5000)}, {IsLess, integer(5100)}}, 4096)
			}
		})
	}
}

// BenchmarkWriter adds one term an operation, four IRIs for each string: `-benchtime 100000000x` for a large dictionary.
func BenchmarkWriter(b *testing.B) {
	dir := b.TempDir()
	w, err := Create(dir)
	if err != nil {
		b.Fatal(err)
	}
	iris := b.N / 5 * 4
	w.Group()
	var key []byte
	before := processorTime(b)
	b.ResetTimer()
	for i := range b.N {
		if i < iris {
			key = fmt.Appendf(key[:0], "<http://www.Department%d.University%07d.edu/Student%d", 0, i/4000, 1_000_000+i%4000)
		} else {
			key = fmt.Appendf(key[:0], "\"%010d: the student number %d of a university", i, i%977)
		}
		if _, err := w.Add(key); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Finish(); err != nil {
		b.Fatal(err)
	}
	b.StopTimer()
	b.ReportMetric(float64(b.N)/(processorTime(b)-before).Seconds()/1e6, "Mterms/s")
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(u.Maxrss)/1024, "peak-MiB")
	opened := time.Now()
	d, err := Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(time.Since(opened).Microseconds()), "open-µs")
	total := int64(0)
	for _, size := range d.base.Bytes() {
		total += size
	}
	b.ReportMetric(float64(total)/float64(d.Len()), "B/term")
	if err := d.Close(); err != nil {
		b.Fatal(err)
	}
}
