package cpu

// memoKeys is the most slots a memo is kept for.
const memoKeys = 4

// memoWork is what finding a count costs, in list members read.
const memoWork = 4

type memoKey [memoKeys]uint32

type memoEntry struct {
	key   memoKey
	run   uint64 // that the entry was written in
	count uint64
}

// memo remembers counts by the values that they depend on, a newer one in place of an older one at the same place.
type memo struct {
	calls, hits uint64
	entries     []memoEntry
	off         bool
}

// remembering is how many of some groups, and of those in them, have a memo.
func remembering(groups []*group) (n int) {
	for _, g := range groups {
		if g.remembers || g.raw || g.apart {
			n++
		}
		n += remembering(g.children)
	}
	return n
}

// recall returns the place of a group's memo for what these slots are bound to, the key that stands there or is to, and whether it stands there: then the
// place has the number. There is no place while remembering is not worth it.
func (w *worker) recall(g *group, slots []int) (e *memoEntry, key memoKey, known bool) {
	m, t, bits := &w.memos[g.Number], w.tuning, w.run.memoBits
	m.calls++
	if m.off || m.calls < t.memoFrom {
		return nil, key, false
	}
	if len(m.entries) != 1<<bits {
		m.entries = make([]memoEntry, 1<<bits)
	}
	if m.calls == t.memoTrial && m.hits*t.memoShare < m.calls {
		m.off, m.entries = true, nil
		return nil, key, false
	}
	for i, slot := range slots {
		key[i] = w.values[slot]
	}
	h := uint64(key[0])*0x9E3779B97F4A7C15 ^ uint64(key[1])*0xC2B2AE3D27D4EB4F ^ uint64(key[2])*0x165667B19E3779F9 ^ uint64(key[3])*0xD6E8FEB86659FD93
	e = &m.entries[h>>(64-bits)]
	if e.run != w.number || e.key != key {
		return e, key, false
	}
	m.hits++
	w.work += memoWork
	return e, key, true
}
