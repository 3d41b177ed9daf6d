package loader

import "slices"

const (
	radixBits = 11
	radixSize = 1 << radixBits
	// radixSmall is the length below which a comparison sort is quicker.
	radixSmall = 256
)

// sortNumbers sorts keys by radix, least significant digits first, skipping digits that all keys share. scratch is at
// least as long. The sorted keys are returned in one of the two; both are overwritten.
func sortNumbers(keys, scratch []uint64) []uint64 {
	if len(keys) < radixSmall {
		slices.Sort(keys)
		return keys
	}
	scratch = scratch[:len(keys)]
	varying := uint64(0)
	for _, k := range keys {
		varying |= k ^ keys[0]
	}
	for shift := 0; shift < 64; {
		rest := varying >> shift
		if rest == 0 {
			break
		}
		if rest&1 == 0 { // start the next digit where keys differ
			shift++
			continue
		}
		radixPass(scratch, keys, shift)
		keys, scratch = scratch, keys
		shift += radixBits
	}
	return keys
}

func radixPass(dst, src []uint64, shift int) {
	var next [radixSize]uint32
	for _, k := range src {
		next[k>>shift&(radixSize-1)]++
	}
	sum := uint32(0)
	for i, n := range next {
		next[i] = sum
		sum += n
	}
	for _, k := range src {
		d := k >> shift & (radixSize - 1)
		dst[next[d]] = k
		next[d]++
	}
}

// distinctNumbers drops repeats from sorted keys, in place.
func distinctNumbers(keys []uint64) []uint64 {
	n := 0
	for i, k := range keys {
		if i == 0 || k != keys[n-1] {
			keys[n] = k
			n++
		}
	}
	return keys[:n]
}
