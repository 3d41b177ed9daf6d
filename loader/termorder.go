package loader

import (
	"context"
	"encoding/binary"
	"sync"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/dictionary"
)

// termOrder is the terms of a load in order: resources (IRIs and blank nodes that are no predicates) by key, then
// literals by section and sort key. A rank is a place in it: 0 … resources-1, then literals; the ranks from
// resources + literals on stand for the predicates, by label, and those after them for the terms of the store that is
// added to, by ID.
type termOrder struct {
	rank                []uint32 // by provisional ID
	resources, literals int
	predicates          uint32
	first               uint32 // the ID that the first new term gets
	terms               termSource
}

// size is the number of terms that are ordered, with the predicates.
func (o *termOrder) size() int { return o.resources + o.literals + int(o.predicates) }

// termSource hands out the terms that a termOrder has ordered.
type termSource interface {
	// writeResources adds the resources, group by group: position is the place among them that a rank gets, groups
	// are the places where groups start.
	writeResources(ctx context.Context, w *dictionary.Writer, position, groups []uint32) error
	writeLiterals(ctx context.Context, w *dictionary.Writer) error
	release() error
}

// ref is where a key lies in the table: shard and place.
func ref(shard int, place uint64) uint64 { return uint64(shard)<<placeBits | place }

func (t *termTable) recordAt(ref uint64) []byte {
	return t.shards[ref>>placeBits].record(ref & (1<<placeBits - 1))
}

func (t *termTable) keyAt(ref uint64) []byte {
	record := t.recordAt(ref)
	n := binary.LittleEndian.Uint32(record[4:])
	return record[recordHeader : recordHeader+n]
}

// aheadTerms is how many terms are read from memory together by who takes them in order.
const aheadTerms = 32

// readAhead touches, at every so many-th of n terms, the records of the next ones, so that these wait for memory
// together and not one after the other.
func (t *termTable) readAhead(at, n int, ref func(i int) uint64) {
	if at%aheadTerms != 0 {
		return
	}
	sum := byte(0)
	for i := at; i < min(at+aheadTerms, n); i++ {
		record := t.recordAt(ref(i))
		sum += record[0] + record[min(cacheLine, len(record)-1)]
	}
	t.touched.Store(uint32(sum))
}

// cacheLine is the bytes that memory is read by; most records lie in two of them.
const cacheLine = 64

// idAt is the provisional ID of a record.
func (t *termTable) idAt(ref uint64) uint32 {
	return t.base + binary.LittleEndian.Uint32(t.recordAt(ref))<<shardBits + uint32(ref>>placeBits)
}

// computedKeys are the sort keys of the literals of one shard that are not sorted by their own bytes, their section in
// front.
type computedKeys struct {
	bytes  []byte
	starts []uint64
	refs   []uint64
}

func (c *computedKeys) add(ref uint64, key []byte) {
	c.starts = append(c.starts, uint64(len(c.bytes)))
	c.refs = append(c.refs, ref)
	at := len(c.bytes)
	c.bytes = append(c.bytes, 0)
	var section dictionary.Section
	c.bytes, section, _ = dictionary.AppendSortKey(c.bytes, key) // a key of ours
	c.bytes[at] = byte(section)
}

func (c *computedKeys) key(i uint64) []byte {
	if int(i)+1 < len(c.starts) {
		return c.bytes[c.starts[i]:c.starts[i+1]]
	}
	return c.bytes[c.starts[i]:]
}

// sortTable sorts the terms of the table: resources, then literals; both lists live in the load's memory.
// The provisional IDs that skip tells are left out.
func sortTable(t *termTable, skip func(id uint32) bool) (resources, literals []item, err error) {
	m := t.memory
	var kinds [tableShards][256]int
	m.inParallel(tableShards, func(i int) {
		t.shards[i].each(func(_ uint64, number uint32, key []byte) {
			if !skip(t.base + number<<shardBits + uint32(i)) {
				kinds[i][key[0]]++
			}
		})
	})
	total := func(marks string) (n int) {
		for i := range kinds {
			for _, m := range []byte(marks) {
				n += kinds[i][m]
			}
		}
		return n
	}
	if resources, err = allocate[item](t.memory, total("<_")); err != nil {
		return nil, nil, err
	}
	if literals, err = allocate[item](t.memory, total(`"@#^`)); err != nil {
		return nil, nil, err
	}
	var computed [tableShards]computedKeys
	texts := literals[:total(`"@`)]
	strings := texts[:total(`"`)]
	langs := texts[len(strings):]
	var r, s, l atomic.Int64
	m.inParallel(tableShards, func(i int) {
		at := [3]int64{r.Add(int64(kinds[i]['<'] + kinds[i]['_'])), s.Add(int64(kinds[i]['"'])), l.Add(int64(kinds[i]['@']))}
		t.shards[i].each(func(place uint64, number uint32, key []byte) {
			if skip(t.base + number<<shardBits + uint32(i)) {
				return
			}
			it := item{ref: ref(i, place)}
			switch key[0] {
			case '<', '_':
				at[0]--
				resources[at[0]] = it
			case '"':
				at[1]--
				strings[at[1]] = it
			case '@':
				at[2]--
				langs[at[2]] = it
			default:
				computed[i].add(it.ref, key)
			}
		})
	})
	sortKeys(m.threads, resources, t.keyAt)
	sortKeys(m.threads, strings, t.keyAt)
	sortKeys(m.threads, langs, t.keyAt)
	placeComputed(m.threads, literals, len(texts), &computed)
	return resources, literals, nil
}

// placeComputed sorts the computed keys and puts their items around the texts, which are the first n literals: values
// come before strings, literals of other datatypes after language-tagged ones.
func placeComputed(threads int, literals []item, n int, computed *[tableShards]computedKeys) {
	items := make([]item, 0, len(literals)-n)
	for shard := range computed {
		for i := range computed[shard].refs {
			items = append(items, item{ref: ref(shard, uint64(i))})
		}
	}
	key := func(ref uint64) []byte { return computed[ref>>placeBits].key(ref & (1<<placeBits - 1)) }
	sortKeys(threads, items, key)
	values := 0
	for values < len(items) && key(items[values].ref)[0] < byte(dictionary.Strings) {
		values++
	}
	copy(literals[values:], literals[:n])
	for i, it := range items {
		at := i
		if i >= values {
			at += n
		}
		literals[at] = item{ref: computed[it.ref>>placeBits].refs[it.ref&(1<<placeBits-1)]}
	}
}

// inParallel calls do(0) … do(n-1) on all cores and waits.
func (m *memory) inParallel(n int, do func(i int)) {
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(m.threads, n) {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	wait.Wait()
}

// inRanges cuts 0 … n-1 into ranges and calls do for each, on all cores.
func (m *memory) inRanges(n int, do func(from, to int)) {
	const size = 1 << 15
	m.inParallel((n+size-1)/size, func(i int) { do(i*size, min((i+1)*size, n)) })
}

// tableSource orders terms that are all in the table.
type tableSource struct {
	table               *termTable
	resources, literals []item
}

// orderTable makes the order of terms that are all in the table but for those that skip tells; limit is above all
// provisional IDs.
func orderTable(t *termTable, predicateKeys []string, skip func(id uint32) bool, limit uint64) (*termOrder, error) {
	labels := map[uint32]uint32{} // by provisional ID
	for label, key := range predicateKeys {
		if id, ok := t.find(hashKey([]byte(key)), []byte(key)); ok {
			labels[id] = uint32(label)
		}
	}
	resources, literals, err := sortTable(t, func(id uint32) bool {
		_, ok := labels[id]
		return ok || skip(id)
	})
	if err != nil {
		return nil, err
	}
	rank, err := allocate[uint32](t.memory, int(limit))
	if err != nil {
		return nil, err
	}
	assign := func(items []item, first int) {
		t.memory.inRanges(len(items), func(from, to int) {
			for i := from; i < to; i++ {
				rank[t.idAt(items[i].ref)] = uint32(first + i)
			}
		})
	}
	assign(resources, 0)
	assign(literals, len(resources))
	for id, label := range labels {
		rank[id] = uint32(len(resources)+len(literals)) + label
	}
	return &termOrder{
		rank: rank, resources: len(resources), literals: len(literals), predicates: uint32(len(predicateKeys)),
		terms: &tableSource{t, resources, literals},
	}, nil
}

func (s *tableSource) writeResources(ctx context.Context, w *dictionary.Writer, position, groups []uint32) error {
	refs, err := allocate[uint64](s.table.memory, len(position))
	if err != nil {
		return err
	}
	defer release(s.table.memory, refs)
	s.table.memory.inRanges(len(position), func(from, to int) {
		for i := from; i < to; i++ {
			refs[position[i]] = s.resources[i].ref
		}
	})
	ref := func(i int) uint64 { return refs[i] }
	for i, r := range refs {
		s.table.readAhead(i, len(refs), ref)
		if len(groups) > 0 && groups[0] == uint32(i) {
			w.Group()
			groups = groups[1:]
		}
		if _, err := w.Add(s.table.keyAt(r)); err != nil {
			return err
		}
		if i%stride == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// stride is how many terms or keys are handled between two looks at the context.
const stride = 1 << 14

func (s *tableSource) writeLiterals(ctx context.Context, w *dictionary.Writer) error {
	ref := func(i int) uint64 { return s.literals[i].ref }
	for i, it := range s.literals {
		s.table.readAhead(i, len(s.literals), ref)
		if _, err := w.Add(s.table.keyAt(it.ref)); err != nil {
			return err
		}
		if i%stride == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

func (s *tableSource) release() error {
	release(s.table.memory, s.resources)
	release(s.table.memory, s.literals)
	s.table.release()
	return nil
}
