package rdfgpu

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/exec/match/gpu"
	"github.com/rdfgpu/rdfgpu/internal/backend"
	"github.com/rdfgpu/rdfgpu/kernels"
)

// TestAStoreAnswersAlikeOnADevice: the queries of testdata/summing, over a small graph like theirs, asked of a store with an emulated device and of its processor.
func TestAStoreAnswersAlikeOnADevice(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	r := rand.New(rand.NewPCG(3, 4))
	const vertices = 150
	fmt.Fprintln(&b, "@prefix : <http://example.org/graph/> .")
	for v := range vertices {
		fmt.Fprintf(&b, ":v%d a :c%d ; :worth %d ; :share %d.%02d .\n", v, v%4, r.IntN(200_003)-1000, r.IntN(1000), 10+r.IntN(90))
		for range 1 + r.IntN(16) {
			fmt.Fprintf(&b, ":v%d :p0 :v%d .\n", v, r.IntN(1+r.IntN(vertices)))
		}
	}
	dir := filepath.Join(t.TempDir(), "store")
	if _, err := Load(t.Context(), dir, []string{"-"}, LoadOptions{Format: "turtle", Stdin: strings.NewReader(b.String())}); err != nil {
		t.Fatal(err)
	}
	store, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	store.backends = backend.New(cpu.New(), backend.Options{Open: func(o gpu.Options) (*gpu.Device, error) {
		o.Driver, o.CombineFrom = kernels.Emulate(64<<20), 1
		return gpu.Open(o)
	}})
	files, err := filepath.Glob("testdata/summing/*.rq")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d queries (error %v)", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		answers := map[Device][]string{}
		for _, device := range []Device{CPU, GPU, Auto} {
			result, err := store.Query(t.Context(), string(text), QueryOptions{Device: device})
			if err != nil {
				t.Fatalf("%s on %s: %v", file, device, err)
			}
			var out bytes.Buffer
			if _, err := result.Write(&out, TSV); err != nil {
				t.Fatalf("%s on %s: %v", file, device, err)
			}
			if err := result.Close(); err != nil {
				t.Error(err)
			}
			answers[device] = strings.Split(out.String(), "\n")
			slices.Sort(answers[device])
		}
		if !slices.Equal(answers[CPU], answers[GPU]) || !slices.Equal(answers[CPU], answers[Auto]) {
			t.Errorf("%s: %v", file, answers)
		}
	}
}
