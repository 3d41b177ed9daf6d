package rdfgpu

import (
	"context"
	"fmt"
	"time"

	"github.com/rdfgpu/rdfgpu/loader"
)

// LoadPlan is what a load will probably take and make. All sizes are in bytes.
type LoadPlan struct {
	InputBytes int64  `json:"inputBytes"`
	Triples    uint64 `json:"triples"`
	Terms      uint64 `json:"terms"`
	// Sampled is how many triples were looked at; Whole says that these are all there are.
	Sampled uint64 `json:"sampledTriples"`
	Whole   bool   `json:"whole"`
	// Memory and TempBytes are what the load holds at most, and writes to temporary files, with the memory budget that
	// was given; MemoryUnspilled is what it holds with a budget that needs no temporary files.
	Memory          int64 `json:"memory"`
	MemoryUnspilled int64 `json:"memoryUnspilled"`
	TempBytes       int64 `json:"tempBytes"`
	// StoreBytes is the size of the store; while it is made, an old store stays beside it.
	StoreBytes int64 `json:"storeBytes"`
	// GPUBytes is what the resident graph takes on a GPU.
	GPUBytes int64         `json:"gpuBytes"`
	Elapsed  time.Duration `json:"elapsedNanoseconds"`
}

// PlanLoad samples the files and tells what Load will take: it reads a bounded part of each (of packed ones, the
// beginning) and loads that into a temporary folder. Standard input cannot be planned.
func PlanLoad(ctx context.Context, files []string, options LoadOptions) (LoadPlan, error) {
	inputs, err := options.inputs(files)
	if err != nil {
		return LoadPlan{}, err
	}
	e, err := loader.Plan(ctx, inputs, loader.Options{Memory: options.Memory, TempDir: options.TempDir, Threads: options.Threads})
	return LoadPlan{
		InputBytes: e.InputBytes, Triples: e.Triples, Terms: e.Terms, Sampled: e.Sampled, Whole: e.Whole,
		Memory: e.Memory, MemoryUnspilled: e.MemoryUnspilled, TempBytes: e.TempBytes,
		StoreBytes: e.StoreBytes, GPUBytes: e.GraphBytes, Elapsed: e.Elapsed,
	}, err
}

// String gives the plan in a few lines.
func (p LoadPlan) String() string {
	mb := func(n int64) string { return fmt.Sprintf("%10.1f MB", float64(n)/1e6) }
	basis := fmt.Sprintf("from a sample of %d triples", p.Sampled)
	if p.Whole {
		basis = "all of them were read"
	}
	return fmt.Sprintf("%13d triples, %d terms (%s)\n", p.Triples, p.Terms, basis) +
		mb(p.Memory) + " of memory for the load\n" +
		mb(p.MemoryUnspilled) + " of memory if nothing is to go to temporary files\n" +
		mb(p.TempBytes) + " of temporary files\n" +
		mb(p.StoreBytes) + " for the store\n" +
		mb(p.GPUBytes) + " of GPU memory for the whole graph\n" +
		fmt.Sprintf("%10.1f s  for the load", p.Elapsed.Seconds())
}
