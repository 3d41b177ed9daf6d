package loader

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/klauspost/pgzip"

	"github.com/rdfgpu/rdfgpu/internal/generate"
)

// within fails when an estimate is further off than a share allows.
func within(t *testing.T, what string, estimate, actual, share float64) {
	t.Helper()
	if actual == 0 && estimate == 0 {
		return
	}
	t.Logf("%-8s %12.0f, in fact %12.0f: %+.0f %%", what, estimate, actual, 100*(estimate/actual-1))
	if r := estimate / actual; r < 1-share || r > 1+share {
		t.Errorf("%s: estimated %.0f, in fact %.0f", what, estimate, actual)
	}
}

func planAndLoad(t *testing.T, sample int64, options Options, paths ...string) Estimate {
	t.Helper()
	inputs, err := Files("", paths...)
	if err != nil {
		t.Fatal(err)
	}
	sources, err := prepare(inputs)
	if err != nil {
		t.Fatal(err)
	}
	options.TempDir = t.TempDir()
	e, err := makePlan(context.Background(), sources, options, sample)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Load(context.Background(), filepath.Join(t.TempDir(), "store"), inputs, options)
	if err != nil {
		t.Fatal(err)
	}
	within(t, "triples", float64(e.Triples), float64(r.Triples), 0.1)
	within(t, "terms", float64(e.Terms), float64(r.Terms), 0.25)
	within(t, "store", float64(e.StoreBytes), float64(r.StoreBytes), 0.25)
	if r.SpilledBytes > 16<<20 || e.TempBytes > 16<<20 {
		within(t, "spilled", float64(e.TempBytes), float64(r.SpilledBytes), 0.25)
	}
	left, err := os.ReadDir(options.TempDir)
	if err != nil || len(left) > 0 {
		t.Error("left behind:", left, err)
	}
	return e
}

func lubmText(t *testing.T, universities int) []byte {
	t.Helper()
	var text bytes.Buffer
	if _, err := (generate.LUBM{Universities: universities, Seed: 1}).WriteNTriples(context.Background(), &text); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

func write(t *testing.T, path string, text []byte) string {
	t.Helper()
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestPlanFromASampleComesCloseToTheLoad(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	t.Parallel()
	dir := t.TempDir()
	text := lubmText(t, 2)
	plain := write(t, filepath.Join(dir, "plain.nt"), text)
	var packed bytes.Buffer
	z := pgzip.NewWriter(&packed)
	if _, err := z.Write(text); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	gz := write(t, filepath.Join(dir, "a.nt.gz"), packed.Bytes())
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	zst := write(t, filepath.Join(dir, "b.nt.zst"), encoder.EncodeAll(text, nil))
	half := bytes.LastIndexByte(text[:len(text)/2], '\n') + 1
	first, second := write(t, filepath.Join(dir, "1.nt"), text[:half]), write(t, filepath.Join(dir, "2.nt"), text[half:])
	for name, paths := range map[string][]string{"plain": {plain}, "gzip": {gz}, "zstd": {zst}, "two files": {first, second}} {
		t.Run(name, func(t *testing.T) {
			if e := planAndLoad(t, 12<<20, Options{Memory: 64 << 20}, paths...); e.Whole {
				t.Error("the sample is not the whole")
			}
		})
	}
}

func TestPlanOfASmallInputIsExact(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ttl := write(t, filepath.Join(dir, "a.ttl"), []byte("@prefix : <http://e/> . :a :p :b, 1, 2.5 ; :q [ :r \"x\"@en ] ."))
	nt := write(t, filepath.Join(dir, "b.nt"), []byte("<http://e/a> <http://e/p> <http://e/b> .\n<http://e/a> <http://e/p> \"y\" .")) // no last line end
	empty := write(t, filepath.Join(dir, "c.nt"), nil)
	e := planAndLoad(t, defaultSample, Options{}, ttl, nt, empty)
	if !e.Whole || e.Triples != 6 || e.TempBytes != 0 {
		t.Errorf("%+v", e)
	}
}

func TestPlanRefusesWhatHasNoSize(t *testing.T) {
	t.Parallel()
	_, err := Plan(context.Background(), []Input{{Name: "stdin", Format: NTriples, Reader: strings.NewReader("")}}, Options{})
	if !errors.Is(err, errNoSize) {
		t.Error(err)
	}
}

func TestPlansOfTheSharedDataComeCloseToTheLoads(t *testing.T) {
	t.Parallel()
	folder := os.Getenv("RDFGPU_DATA")
	if folder == "" {
		t.Skip("RDFGPU_DATA does not name the folder of the data sets")
	}
	if testing.Short() {
		t.Skip("loads a million triples")
	}
	for _, set := range []string{"lubm10", "watdiv1m", "nomisma", "debian12"} {
		t.Run(set, func(t *testing.T) {
			planAndLoad(t, defaultSample, Options{}, filepath.Join(folder, set, "data.nt.zst"))
		})
	}
}
