package pcsr

import (
	"runtime"
	"slices"
	"sync/atomic"
)

// longRow is a touched row with a long list, of which a change copies nothing: the list is made when it is first asked
// for. It is shared by all patches in which the row is the same.
type longRow struct {
	ground  []Vertex // the list in the ground
	changes tree[membership]
	degree  int
	held    *atomic.Int64 // counts the bytes of lists
	made    atomic.Pointer[grownList]
	// basis is a list that this one begins with, followed by since; nil where none is known.
	basis *grownList
	since []Vertex
}

// membership says of a vertex that it came, or else that it went.
type membership struct {
	unranked
	came bool
}

// grownList is a list that has room behind its end, where one other list goes on that begins with it.
type grownList struct {
	list   []Vertex
	memory *listMemory
}

// listMemory is what lists that begin alike lie in.
type listMemory struct {
	used atomic.Int64 // by the longest of them
	held *atomic.Int64
}

const (
	// shortRow is the most neighbours of a row whose list a change copies.
	shortRow = 64
	// mostSince is how many vertices are kept to be put behind a basis.
	mostSince = 256
)

func (r *longRow) contains(w Vertex) bool {
	if m := r.changes.get(w); m != nil {
		return m.came
	}
	return Contains(r.ground, w)
}

// neighbours returns the list.
func (r *longRow) neighbours() []Vertex {
	made := r.made.Load()
	if made == nil {
		r.made.CompareAndSwap(nil, r.make()) // or another goroutine was faster
		made = r.made.Load()
	}
	n := len(made.list)
	return made.list[:n:n]
}

// follow notes where the list can be made of that of the row before: it has what came behind its end.
func (r *longRow) follow(was *longRow, came, went []uint64) {
	basis, since := was.made.Load(), []Vertex(nil)
	if basis == nil {
		basis, since = was.basis, was.since
	}
	if basis == nil || len(basis.list) == 0 || len(went) > 0 || len(since)+len(came) > mostSince {
		return
	}
	last := basis.list[len(basis.list)-1]
	if len(since) > 0 {
		last = since[len(since)-1]
	}
	if Vertex(came[0]) <= last {
		return
	}
	r.basis, r.since = basis, slices.Clip(since)
	for _, k := range came {
		r.since = append(r.since, Vertex(k))
	}
}

// make puts what came since behind the basis, in its own memory if there is room, or merges the ground with the changes.
func (r *longRow) make() *grownList {
	if r.basis == nil {
		return r.merge()
	}
	n, end := len(r.basis.list), len(r.basis.list)+len(r.since)
	memory := r.basis.memory
	if whole := r.basis.list[:cap(r.basis.list)]; end <= len(whole) && memory.used.CompareAndSwap(int64(n), int64(end)) {
		copy(whole[n:], r.since)
		return &grownList{whole[:end], memory}
	}
	return r.grown(append(roomFor(end), r.basis.list...), r.since)
}

// merge makes the list of the ground's.
func (r *longRow) merge() *grownList {
	list, rest := roomFor(r.degree), r.ground
	r.changes.ascend(0, func(w Vertex, m *membership) bool {
		n := Gallop(rest, w)
		list, rest = append(list, rest[:n]...), rest[n:]
		if m.came {
			list = append(list, w)
		} else if len(rest) > 0 && rest[0] == w {
			rest = rest[1:]
		}
		return true
	})
	return r.grown(list, rest)
}

// roomFor is memory for a list of n and what may come later.
func roomFor(n int) []Vertex { return make([]Vertex, 0, n+n/8) }

// grown is a list in memory of its own: what it has so far and the rest.
func (r *longRow) grown(list, rest []Vertex) *grownList {
	list = append(list, rest...)
	memory := &listMemory{held: r.held}
	memory.used.Store(int64(len(list)))
	countMemory(r.held, memory, 4*int64(cap(list)))
	return &grownList{list, memory}
}

// countMemory counts bytes as long as what takes them is in use.
func countMemory[T any](total *atomic.Int64, of *T, bytes int64) {
	total.Add(bytes)
	runtime.AddCleanup(of, func(bytes int64) { total.Add(-bytes) }, bytes)
}

// listChanges are what makes one list of another.
func listChanges(from, to []Vertex) tree[membership] {
	if len(from) == len(to) && (len(to) == 0 || &from[0] == &to[0]) {
		return tree[membership]{}
	}
	came, went := listDifference(from, to)
	return toggle(tree[membership]{}, came, went)
}

// listDifference returns the members of ascending lists that the second alone has, and the first.
func listDifference(from, to []Vertex) (came, went []uint64) {
	for len(from) > 0 || len(to) > 0 {
		switch {
		case len(to) == 0 || len(from) > 0 && from[0] < to[0]:
			went, from = append(went, uint64(from[0])), from[1:]
		case len(from) == 0 || to[0] < from[0]:
			came, to = append(came, uint64(to[0])), to[1:]
		default:
			from, to = from[1:], to[1:]
		}
	}
	return came, went
}

// toggle notes what came, which was not there, and what went, which was: what goes after it came leaves no trace.
func toggle(t tree[membership], came, went []uint64) tree[membership] {
	keys, marks := make([]uint32, 0, len(came)+len(went)), make([]bool, 0, len(came)+len(went))
	for len(came) > 0 || len(went) > 0 {
		if len(went) == 0 || len(came) > 0 && came[0] < went[0] {
			keys, marks, came = append(keys, Vertex(came[0])), append(marks, true), came[1:]
		} else {
			keys, marks, went = append(keys, Vertex(went[0])), append(marks, false), went[1:]
		}
	}
	return t.edit(keys, func(i int, old *membership) (membership, bool) {
		return membership{came: marks[i]}, old == nil
	})
}
