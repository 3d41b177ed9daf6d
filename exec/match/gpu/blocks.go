package gpu

import (
	"fmt"
	"math"

	"github.com/rdfgpu/rdfgpu/kernels"
)

// residentBlocks is how many blocks of the kernels the device holds at a time, or fewer, as options say.
type residentBlocks struct {
	blocks int // of those that join
	// rowBlocks are those of kernels that take rows, or groups of them.
	rowBlocks map[kernels.Kernel]int
	// denseBlocks are those that count in neighbourhoods, squareBlocks those that count by paths of two edges, triangleBlocks by triples;
	// closureBlocks search closures.
	denseBlocks                                 kernelBlocks
	squareBlocks, triangleBlocks, closureBlocks int
}

// newResidentBlocks asks a driver, most of each at most unless that is 0.
func newResidentBlocks(driver kernels.Driver, most int) (r residentBlocks, err error) {
	if most <= 0 {
		most = math.MaxInt
	}
	for _, of := range []struct {
		blocks  *int
		what    string
		kernels []kernels.Kernel
	}{
		{&r.blocks, "the matcher", []kernels.Kernel{kernels.Match, kernels.MatchBranches, kernels.MatchPaged, kernels.WeighLists, kernels.CombineRows, kernels.ListGroups}},
		{&r.squareBlocks, "counting by paths of two", []kernels.Kernel{kernels.SquareCount}},
		{&r.triangleBlocks, "counting triangles", []kernels.Kernel{kernels.TriangleCount}},
		{&r.closureBlocks, "searching closures", []kernels.Kernel{kernels.ClosureOne, kernels.ClosureMany}},
	} {
		if *of.blocks, err = fewestBlocks(driver, most, of.what, of.kernels...); err != nil {
			return r, err
		}
	}
	for k := range r.denseBlocks {
		if r.denseBlocks[k], err = fewestBlocks(driver, most, "counting in neighbourhoods", kernels.CountDense+kernels.Kernel(k)); err != nil {
			return r, err
		}
	}
	r.rowBlocks = map[kernels.Kernel]int{}
	for _, k := range []kernels.Kernel{
		kernels.CombineRows, kernels.MoveGroups, kernels.ListGroups, kernels.SumRows, kernels.MoveSums, kernels.ListSums, kernels.TopCount, kernels.TopSelect, kernels.TopWords, kernels.SiftRows, kernels.SiftWords,
	} {
		if r.rowBlocks[k], err = fewestBlocks(driver, r.blocks, "grouping rows", k); err != nil {
			return r, err
		}
	}
	return r, nil
}

// fewestBlocks is how many blocks the device holds of each of some kernels, which do something, most at most.
func fewestBlocks(driver kernels.Driver, most int, what string, of ...kernels.Kernel) (int, error) {
	for _, k := range of {
		n, err := driver.ResidentBlocks(k, 0)
		if err != nil || n < 1 {
			return 0, fmt.Errorf("gpu: %s does not fit the device (%v): %w", what, err, ErrNoDevice)
		}
		most = min(most, n)
	}
	return most, nil
}
