package vector

// Parts is into how many parts a Split splits rows. Parts of a table have rows enough to be worth a goroutine's while, and fit
// into a core's cache where the whole does not.
const (
	partBits = 6
	Parts    = 1 << partBits
)

// PartOf is the part of a row with a hash. Tables look at other bits of the hash, files of partitions at the first four of these.
func PartOf(hash uint64) int { return int(hash >> (64 - partBits)) }

// Split is the numbers of some rows by the part that their hashes belong to. Goroutines may read it at the same time.
type Split struct {
	rows   []uint32
	starts [Parts + 1]uint32
}

// Set splits rows with the given hashes; of those of a part, the order stays.
func (s *Split) Set(hashes []uint64) {
	if cap(s.rows) < len(hashes) {
		s.rows = make([]uint32, len(hashes))
	}
	s.rows = s.rows[:len(hashes)]
	clear(s.starts[:])
	for _, h := range hashes {
		s.starts[PartOf(h)+1]++
	}
	var at [Parts]uint32
	for p := range Parts {
		at[p] = s.starts[p]
		s.starts[p+1] += s.starts[p]
	}
	for r, h := range hashes {
		p := PartOf(h)
		s.rows[at[p]] = uint32(r)
		at[p]++
	}
}

// Part is the numbers of the rows of a part.
func (s *Split) Part(p int) []uint32 { return s.rows[s.starts[p]:s.starts[p+1]] }

// Bytes is the memory that the numbers take.
func (s *Split) Bytes() int64 { return int64(cap(s.rows)) * 4 }
