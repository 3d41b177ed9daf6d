package bunzip

import (
	"bytes"
	"compress/bzip2"
	"errors"
	"io"
	"math/rand/v2"
	"os/exec"
	"strconv"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// pack packs with bzip2, in blocks of some hundred thousand bytes.
func pack(t testing.TB, text []byte, level int) []byte {
	t.Helper()
	program, err := exec.LookPath("bzip2")
	if err != nil {
		t.Skip("there is no bzip2")
	}
	command := exec.Command(program, "-c", "-"+strconv.Itoa(level))
	command.Stdin = bytes.NewReader(text)
	packed, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	return packed
}

// text is random: lines, runs, or noise.
func text(random *rand.Rand, n int) []byte {
	out := make([]byte, 0, n)
	for len(out) < n {
		switch random.IntN(4) {
		case 0:
			out = append(out, bytes.Repeat([]byte{byte(random.IntN(256))}, random.IntN(n/4+10))...)
		case 1:
			for range random.IntN(n/4 + 10) {
				out = append(out, byte(random.IntN(256)))
			}
		default:
			for range random.IntN(n/40 + 10) {
				out = append(out, "<http://example.org/"+strconv.Itoa(random.IntN(1000))+"> .\n"...)
			}
		}
	}
	return out[:n]
}

// agree compares with compress/bzip2: the same bytes, or an error behind the beginning of them.
func agree(t interface{ Fatalf(string, ...any) }, packed []byte, cut func(int64) bool) {
	want, wrong := io.ReadAll(bzip2.NewReader(bytes.NewReader(packed)))
	r := newReader(bytes.NewReader(packed), cut)
	got, err := io.ReadAll(r)
	if closing := r.Close(); closing != nil {
		t.Fatalf("closing: %v", closing)
	}
	if wrong == nil && (err != nil || !bytes.Equal(got, want)) {
		t.Fatalf("%d bytes (error %v), %d in one thread", len(got), err, len(want))
	}
	if wrong != nil && (err == nil || !bytes.HasPrefix(want, got)) {
		t.Fatalf("%d bytes without an error, %d in one thread and %v", len(got), len(want), wrong)
	}
}

func TestFilesAreUnpackedAsInOneThread(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		most, cut := 3, (func(int64) bool)(nil)
		if rapid.IntRange(0, 2).Draw(rt, "false cuts") == 0 {
			most, cut = 1, func(bit int64) bool { return bit%300_007 == 0 } // some in a block
		}
		var packed []byte
		for range rapid.IntRange(0, 3).Draw(rt, "streams") {
			n := rapid.SampledFrom([]int{0, 1, 1000, 150_000, 450_000}).Draw(rt, "size")
			packed = append(packed, pack(t, text(random, n), rapid.IntRange(1, most).Draw(rt, "level"))...)
		}
		switch rapid.IntRange(0, 5).Draw(rt, "damage") {
		case 0:
			packed = packed[:random.IntN(len(packed)+1)]
		case 1:
			if len(packed) > 0 {
				packed[random.IntN(len(packed))] ^= 1 << random.IntN(8)
			}
		case 2:
			packed = append(packed, text(random, 30)...)
		}
		agree(rt, packed, cut)
	})
}

func TestMuchOfLittleIsUnpacked(t *testing.T) {
	t.Parallel()
	agree(t, pack(t, bytes.Repeat([]byte{'a'}, 60<<20), 9), nil)
}

func TestErrorsOfReadingAreTold(t *testing.T) {
	t.Parallel()
	packed := pack(t, text(rand.New(rand.NewPCG(1, 1)), 300_000), 1)
	failed := errors.New("failed")
	r := NewReader(io.MultiReader(bytes.NewReader(packed[:len(packed)/2]), iotest.ErrReader(failed)))
	defer r.Close()
	if _, err := io.ReadAll(r); !errors.Is(err, failed) {
		t.Errorf("error %v", err)
	}
}

func TestAReaderMayBeClosedAtAnyTime(t *testing.T) {
	t.Parallel()
	packed := pack(t, text(rand.New(rand.NewPCG(2, 1)), 3_000_000), 1)
	for n := range 20 {
		r := NewReader(bytes.NewReader(packed))
		if _, err := io.CopyN(io.Discard, r, int64(n*150_000)); err != nil {
			t.Fatal(err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if _, err := io.ReadAll(r); err == nil {
			t.Error("all was read after the end")
		}
	}
}

func FuzzReader(f *testing.F) {
	for _, n := range []int{0, 1, 5000, 120_000} {
		packed := pack(f, text(rand.New(rand.NewPCG(3, uint64(n))), n), 1)
		f.Add(packed)
		f.Add(append(packed, packed...))
	}
	f.Fuzz(func(t *testing.T, packed []byte) { agree(t, packed, nil) })
}

func BenchmarkReader(b *testing.B) {
	packed := pack(b, text(rand.New(rand.NewPCG(4, 1)), 20<<20), 9)
	for name, open := range map[string]func() io.Reader{
		"all threads": func() io.Reader { return NewReader(bytes.NewReader(packed)) },
		"one":         func() io.Reader { return bzip2.NewReader(bytes.NewReader(packed)) },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(20 << 20)
			for b.Loop() {
				if _, err := io.Copy(io.Discard, open()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
