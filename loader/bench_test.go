package loader

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/rdfgpu/rdfgpu/internal/radix"
)

// dataFile names a file of the shared data, or skips.
func dataFile(tb testing.TB, set string) string {
	root := os.Getenv("RDFGPU_DATA")
	if root == "" {
		tb.Skip("RDFGPU_DATA does not name the folder of the data sets")
	}
	return filepath.Join(root, set, "data.nt.zst")
}

// BenchmarkLoad loads whole data sets, end to end, from compressed files into a store on disk.
func BenchmarkLoad(b *testing.B) {
	for _, set := range []string{"lubm10", "watdiv1m", "watdiv10m", "debian12", "nomisma"} {
		b.Run(set, func(b *testing.B) {
			path := dataFile(b, set)
			for b.Loop() {
				report, err := Load(context.Background(), b.TempDir(), []Input{{Name: path}}, Options{})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(report.Read)/report.Elapsed.Seconds()/1e6, "Mtriples/s")
				b.ReportMetric(float64(report.StoreBytes)/float64(report.Triples), "B/triple")
				for _, p := range report.Phases {
					b.ReportMetric(p.Elapsed.Seconds(), string(p.Phase[:4])+string(p.Phase[len(p.Phase)-3:])+"-s")
				}
			}
		})
	}
}

// sample is the text of the first blocks of LUBM(10), or of made-up triples where that is not there.
func sample(b *testing.B) []byte {
	b.Helper()
	if os.Getenv("RDFGPU_DATA") == "" {
		var text bytes.Buffer
		for _, q := range randomQuads(1, 50_000, 10_000) {
			fmt.Fprintf(&text, "%v %v %v .\n", q.Subject, q.Predicate, q.Object)
		}
		return text.Bytes()
	}
	sources, err := prepare([]Input{{Name: dataFile(b, "lubm10")}})
	if err != nil {
		b.Fatal(err)
	}
	r, err := sources[0].open(b.Context(), new(atomic.Int64))
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	text := make([]byte, 16<<20)
	n, err := io.ReadFull(r, text)
	if err != nil {
		b.Fatal(err)
	}
	return text[:bytes.LastIndexByte(text[:n], '\n')+1]
}

// BenchmarkRead reads one text through Read, on one core, with every check; N-Triples is Turtle too.
func BenchmarkRead(b *testing.B) {
	text := sample(b)
	for _, format := range []Format{NTriples, Turtle} {
		b.Run(string(format), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			n := 0
			for b.Loop() {
				if err := Read(bytes.NewReader(text), format, "", func(Quad) error { n++; return nil }); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds()/1e6, "Mtriples/s")
		})
	}
}

// BenchmarkScan reads lines without making terms of them; BenchmarkEncode is the bulk loader's way on one core, with the
// terms new the first time and known from then on.
func BenchmarkScan(b *testing.B) {
	text := sample(b)
	b.SetBytes(int64(len(text)))
	n := 0
	var s lineScanner
	for b.Loop() {
		for rest := text; len(rest) > 0; n++ {
			line, size := nextLine(rest)
			var k keys
			if _, err := s.scan(line, &k); err != nil {
				b.Fatal(err.message)
			}
			rest = rest[size:]
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds()/1e6, "Mtriples/s")
}

func BenchmarkEncode(b *testing.B) {
	text := sample(b)
	b.SetBytes(int64(len(text)))
	m := newMemory(1)
	defer m.releaseAll()
	e := &encoder{terms: newTermTable(m), names: newPredicates(), classes: map[uint32]uint32{}}
	e.triples = &tripleList{memory: m, width: 3}
	n := 0
	for b.Loop() {
		e.rows = make([]uint32, 0, 3*len(text)/20)
		if err := e.block(block{text, 1}, func(fault SyntaxError) error { return &fault }); err != nil {
			b.Fatal(err)
		}
		n += len(e.rows) / 3
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds()/1e6, "Mtriples/s")
}

// BenchmarkSortNumbers sorts keys as they come from one large partition, both ways.
func BenchmarkSortNumbers(b *testing.B) {
	for _, n := range []int{1 << 20, 1 << 24} {
		b.Run(fmt.Sprintf("%dM", n>>20), func(b *testing.B) {
			m := newMemory(1)
			defer m.releaseAll()
			unsorted, _ := allocate[uint64](m, n)
			keys, _ := allocate[uint64](m, n)
			scratch, _ := allocate[uint64](m, n)
			x := uint64(1)
			for i := range unsorted {
				x = x*6364136223846793005 + 1442695040888963407
				unsorted[i] = x>>42<<32 | x>>20&(1<<22-1)
			}
			b.SetBytes(int64(8 * n))
			for b.Loop() {
				copy(keys, unsorted)
				sorted := radix.Sort(keys, scratch)
				other := scratch
				if &sorted[0] == &scratch[0] {
					other = keys
				}
				for i, k := range sorted {
					other[i] = k<<32 | k>>32
				}
				radix.SortUpper(other, sorted, 32)
			}
		})
	}
}
