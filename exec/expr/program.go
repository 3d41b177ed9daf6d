package expr

import (
	"sync"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/parser"
)

// chunkRows is how many rows a node works on at once: their data stay in the processor's cache.
const chunkRows = 256

// scratchRows bounds the results that the nodes of a program hold at once: 3.25 MiB, and as much again where they are numbers that fit no column, which nobody
// counts and the collector looks through. A program with more nodes works on fewer rows.
const scratchRows = 1 << 15

// Program is a compiled expression. It is safe for concurrent use.
type Program struct {
	env     *Env
	columns map[string]int
	root    node
	// Identity is that of the IDs of computed results. It is set before the first use.
	Identity dictionary.Identity
	// conjuncts are the parts of the root that must all be true; for Filter.
	conjuncts []node
	memos     int
	// rows is how many rows are worked on at once.
	rows int
	runs sync.Pool
}

// node is a compiled expression. eval writes the result of row rows[i] to out[i]; what out held before is overwritten.
type node interface {
	eval(c *run, rows []uint32, out []datum)
}

// condition is a node whose results are truth values.
type condition interface {
	node
	test(c *run, rows []uint32, out []tri)
}

// run is the state of one goroutine that runs a program.
type run struct {
	env     *Env
	columns map[string]int
	cols    [][]dictionary.ID
	size    int       // rows worked on at once
	data    [][]datum // scratch of size rows each, a stack
	dataTop int
	tris    [][]tri
	trisTop int
	// numberRoom is scratch for numbers, a stack; ids, runIDs and kinds are for a column of them.
	numberRoom []*numbers
	numbersTop int
	ids        []dictionary.ID
	runIDs     []dictionary.ID
	kinds      []dictionary.ValueKind
	lists      [][]uint32
	listsTop   int
	memos      []memory[datum]
	tests      []memory[tri]
	patterns   map[patternKey]*pattern
	// lastPattern is the one of lastKey, replaced the last replacement that was taken apart.
	lastKey     patternKey
	lastPattern *pattern
	replaced    struct {
		of    *pattern
		with  string
		parts []replacementPart
	}
	row     uint32
	glanced []byte // the stored text that is looked at (glance)
	// full gives IDs to be compared with, results those of the program's results, which is full where these are such.
	full    idSource
	results *idSource
	rows    []uint32
	// spent is the work since the last look at whether the query has ended, in bytes; made and charged are the bytes of
	// the chunk's strings, before and after Env.Charge was told of them.
	spent         int
	made, charged int64
}

func newRun(env *Env) *run {
	c := &run{env: env, full: idSource{terms: env.Terms}}
	c.results = &c.full
	return c
}

// Compile prepares an expression for columns of the given names. It refuses functions that do not exist and regular
// expressions that are constant and wrong.
func Compile(e parser.Expr, columns map[string]int, env *Env) (*Program, error) {
	c := &compiler{env: env, columns: columns}
	p := &Program{env: env, columns: columns}
	for _, conjunct := range parser.Conjuncts(nil, e) {
		n, err := c.compile(conjunct)
		if err != nil {
			return nil, err
		}
		if p.root == nil {
			p.root = n
		} else {
			p.root = &and{p.root, n}
		}
		p.conjuncts = append(p.conjuncts, c.ranged(conjunct, n))
	}
	p.memos, p.rows = c.memos, max(1, min(chunkRows, scratchRows/c.nodes))
	p.runs.New = func() any {
		c := newRun(env)
		c.columns, c.size, c.rows = columns, p.rows, make([]uint32, p.rows)
		c.memos, c.tests = make([]memory[datum], p.memos), make([]memory[tri], p.memos)
		if p.Identity != dictionary.IdentityFull {
			c.results = &idSource{terms: env.Terms, identity: p.Identity}
		}
		return c
	}
	return p, nil
}

// Filter appends to keep, in order, the rows of cols (n of them) whose effective boolean value is true. Where expressions
// have stopped (Env.Err) rows are missing.
func (p *Program) Filter(cols [][]dictionary.ID, n int, keep []uint32) []uint32 {
	c := p.start(cols)
	defer p.end(c)
	for from := 0; from < n && p.env.goesOn(); from += p.rows {
		rows := c.chunk(from, min(n, from+p.rows))
		for _, conjunct := range p.conjuncts {
			if len(rows) == 0 {
				break
			}
			rows = c.keepTrue(conjunct, rows)
		}
		keep = append(keep, rows...)
		c.discharge()
	}
	return keep
}

// keepTrue narrows rows, in place, to those where n is true.
func (c *run) keepTrue(n node, rows []uint32) []uint32 {
	out := c.takeTris()[:len(rows)]
	c.test(n, rows, out)
	// Without a branch: whether a row stays is as good as random to the processor.
	kept := 0
	for i, r := range rows {
		rows[kept] = r
		kept += int(out[i] & isTrue)
	}
	c.trisTop--
	return rows[:kept]
}

// IDs writes the result of each of n rows of cols to out; dictionary.None where it is an error. Where expressions have
// stopped (Env.Err) what it writes means nothing.
func (p *Program) IDs(cols [][]dictionary.ID, n int, out []dictionary.ID) {
	if v, ok := p.root.(*column); ok { // a variable alone: its column
		copy(out[:n], cols[v.index][:n])
		return
	}
	if computesNumbers(p.root) {
		p.numbers(cols, n, func(c *run, from int, v *numbers) { c.numberIDs(c.results, v, out[from:]) })
		return
	}
	c := p.start(cols)
	defer p.end(c)
	data := c.take()
	for from := 0; from < n && p.env.goesOn(); from += p.rows {
		rows := c.chunk(from, min(n, from+p.rows))
		results := data[:len(rows)]
		p.root.eval(c, rows, results)
		for i := range results {
			out[from+i] = c.idAs(c.results, &results[i])
		}
		c.discharge()
	}
	c.dataTop--
}

// numbers calls use with the results of some rows of cols at a time, n in all, the first of which is row from. They are valid until use returns. Where
// expressions have stopped (Env.Err) rows are missing.
func (p *Program) numbers(cols [][]dictionary.ID, n int, use func(c *run, from int, v *numbers)) {
	c := p.start(cols)
	defer p.end(c)
	for from := 0; from < n && p.env.goesOn(); from += p.rows {
		rows := c.chunk(from, min(n, from+p.rows))
		v := c.takeNumbers(len(rows))
		c.numbersOf(p.root, rows, v)
		use(c, from, v)
		c.numbersTop--
		c.discharge()
	}
}

func (p *Program) start(cols [][]dictionary.ID) *run {
	c := p.runs.Get().(*run)
	c.cols = cols
	return c
}

// end gives the state back, without the scratch for data: a query has many programs, groups that are made in parts one for each part, few of which run at once.
func (p *Program) end(c *run) {
	if c.size == chunkRows {
		for i, d := range c.data {
			dataRooms.Put((*dataRoom)(d))
			c.data[i] = nil
		}
		c.data = c.data[:0]
	}
	c.dataTop = 0
	p.runs.Put(c)
}

// dataRoom is scratch for a chunk of data, whoever needs it next.
type dataRoom [chunkRows]datum

var dataRooms = sync.Pool{New: func() any { return new(dataRoom) }}

func (c *run) chunk(from, to int) []uint32 {
	rows := c.rows[:to-from]
	for i := range rows {
		rows[i] = uint32(from + i)
	}
	return rows
}

// take returns scratch for a chunk of data; the caller gives it back by lowering dataTop.
func (c *run) take() []datum {
	if c.dataTop == len(c.data) {
		if c.size == chunkRows {
			c.data = append(c.data, dataRooms.Get().(*dataRoom)[:])
		} else { // of a constant, or a program with so many nodes that whole chunks would be much memory
			c.data = append(c.data, make([]datum, c.size))
		}
	}
	c.dataTop++
	return c.data[c.dataTop-1]
}

func (c *run) takeTris() []tri {
	if c.trisTop == len(c.tris) {
		c.tris = append(c.tris, make([]tri, c.size))
	}
	c.trisTop++
	return c.tris[c.trisTop-1]
}

// takeList returns an empty list with room for a chunk of rows and one for their places.
func (c *run) takeList() []uint32 {
	if c.listsTop == len(c.lists) {
		c.lists = append(c.lists, make([]uint32, c.size))
	}
	c.listsTop++
	return c.lists[c.listsTop-1][:0]
}

// test evaluates a node as a condition.
func (c *run) test(n node, rows []uint32, out []tri) {
	if t, ok := n.(condition); ok {
		t.test(c, rows, out)
		return
	}
	data := c.take()[:len(rows)]
	n.eval(c, rows, data)
	for i := range data {
		out[i] = c.effective(&data[i])
	}
	c.dataTop--
}

// evalCondition is eval for conditions.
func evalCondition(n condition, c *run, rows []uint32, out []datum) {
	tris := c.takeTris()[:len(rows)]
	n.test(c, rows, tris)
	for i, t := range tris {
		if t == isError {
			out[i].known = 0
		} else {
			out[i].setBool(t == isTrue)
		}
	}
	c.trisTop--
}
