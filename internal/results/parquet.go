package results

import (
	"encoding/binary"
	"io"
	"slices"
	"unsafe"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// Sizes of row groups: as many rows, or as many bytes, as one has before the next begins. A reader takes one whole, and so does the writer.
const (
	groupRows  = 1 << 18
	groupBytes = 16 << 20
)

// parquetShape writes what a parquetFile takes: batches of rows, as columnar formats have them, one behind the other. They are made in parallel
// and come in order.
func parquetShape() *shape {
	return &shape{cells: batchCells, rows: func(f *formatter, dst []byte, cols [][]ID, n int, _ bool) []byte {
		return batchRows(f, dst, cols, n, func(c *columns, dst []byte) []byte { return c.appendBatch(dst) })
	}}
}

// appendBatch appends the batch: its length, the number of rows, and for each variable the values and the kinds, each a number of texts, where each
// ends, all of them, and the place of each row's text, -1 where there is none.
func (c *columns) appendBatch(dst []byte) []byte {
	at := len(dst)
	dst = binary.LittleEndian.AppendUint64(dst, 0)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(c.rows))
	for i := range c.list {
		l := &c.list[i]
		values, kinds := l.split()
		dst = appendTexts(appendTexts(dst, &l.value, values), &l.kind, kinds)
	}
	binary.LittleEndian.PutUint64(dst[at:], uint64(len(dst)-at))
	return dst
}

func appendTexts(dst []byte, t *texts, places []int32) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(t.len()))
	for _, end := range t.ends[1:] {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(end))
	}
	dst = append(dst, t.text...)
	for _, p := range places {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(p))
	}
	return dst
}

// parquetFile writes the batches that it is given as Parquet.
type parquetFile struct {
	file   *parquet.GenericWriter[any]
	group  *parquet.ConcurrentRowGroupWriter
	charge func(bytes int64) error
	// rows and bytes are those of the row group, charged what was said of them.
	rows           int
	bytes, charged int64
	waiting        []byte          // a part of a batch
	texts, values  []parquet.Value // of a column's dictionary, and of its rows
}

// newParquetFile begins a file with a column for the values of each variable and one for the kinds.
func newParquetFile(out io.Writer, variables []string, charge func(bytes int64) error) *parquetFile {
	names := make([]string, 0, 2*len(variables))
	for _, v := range variables {
		names = append(names, v, v+kindSuffix)
	}
	text := parquet.Encoded(parquet.Optional(parquet.String()), &parquet.RLEDictionary)
	return &parquetFile{file: newParquetWriter(out, names, text), charge: charge}
}

func newParquetWriter(out io.Writer, names []string, node parquet.Node) *parquet.GenericWriter[any] {
	root := ordered{parquet.Group{}, names}
	for _, name := range names {
		root.Group[name] = node
	}
	return parquet.NewGenericWriter[any](out, parquet.NewSchema("solutions", root), parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest, Concurrency: 1}),
		parquet.CreatedBy("rdfgpu", "1", ""))
}

// ordered is a group whose fields have the order of the answer's variables; those of a Group have that of their names.
type ordered struct {
	parquet.Group
	names []string
}

// Fields implements parquet.Node.
func (o ordered) Fields() []parquet.Field {
	fields := o.Group.Fields()
	slices.SortFunc(fields, func(a, b parquet.Field) int { return slices.Index(o.names, a.Name()) - slices.Index(o.names, b.Name()) })
	return fields
}

// Write takes batches, or parts of some.
func (p *parquetFile) Write(text []byte) (int, error) {
	n := len(text)
	if len(p.waiting) > 0 {
		p.waiting = append(p.waiting, text...)
		text = p.waiting
	}
	for len(text) >= 8 {
		size := binary.LittleEndian.Uint64(text)
		if uint64(len(text)) < size {
			break
		}
		if err := p.batch(text[8:size]); err != nil {
			return 0, err
		}
		text = text[size:]
	}
	p.waiting = append(p.waiting[:0], text...)
	return n, nil
}

// batch adds a batch to the row group.
func (p *parquetFile) batch(text []byte) error {
	if p.group == nil {
		p.group = p.file.BeginRowGroup()
	}
	rows := int(binary.LittleEndian.Uint32(text))
	p.bytes, p.rows = p.bytes+int64(len(text)), p.rows+rows
	text = text[4:]
	for c, column := range p.group.ColumnWriters() {
		text = p.column(text, rows, c)
		if _, err := column.WriteRowValues(p.values); err != nil {
			return err
		}
	}
	if p.rows >= groupRows || p.bytes >= groupBytes {
		return p.commit()
	}
	return p.settle(2 * p.bytes)
}

// column reads one column's rows, and returns what is behind them.
func (p *parquetFile) column(text []byte, rows, c int) []byte {
	word := func(i int) int { return int(int32(binary.LittleEndian.Uint32(text[4*i:]))) }
	n := word(0)
	all, places := text[4*(n+1):], 0
	p.texts = p.texts[:0]
	for i := range n {
		end := word(i + 1)
		p.texts = append(p.texts, parquet.ByteArrayValue(all[places:end:end]).Level(0, 1, c))
		places = end
	}
	text = all[places:]
	p.values = p.values[:0]
	for r := range rows {
		if at := word(r); at >= 0 {
			p.values = append(p.values, p.texts[at])
		} else {
			p.values = append(p.values, parquet.NullValue().Level(0, 0, c))
		}
	}
	return text[4*rows:]
}

// settle charges what the row group holds.
func (p *parquetFile) settle(holds int64) error {
	holds += int64(cap(p.waiting)) + int64(cap(p.texts)+cap(p.values))*int64(unsafe.Sizeof(parquet.Value{}))
	more := holds - p.charged
	p.charged = holds
	return p.charge(more)
}

// commit writes the row group.
func (p *parquetFile) commit() error {
	if p.group == nil || p.rows == 0 {
		return nil
	}
	_, err := p.group.Commit()
	p.rows, p.bytes = 0, 0
	if err != nil {
		return err
	}
	return p.settle(0)
}

// close writes what is left and the end of the file.
func (p *parquetFile) close() error {
	if err := p.commit(); err != nil {
		return err
	}
	return p.file.Close()
}

// release gives back what was charged; nil has nothing.
func (p *parquetFile) release() {
	if p == nil {
		return
	}
	_ = p.charge(-p.charged) // giving back never fails
	p.charged = 0
}

// writeParquetBoolean writes the answer of ASK: one row of one column.
func writeParquetBoolean(out io.Writer, answer bool) error {
	w := newParquetWriter(out, []string{"boolean"}, parquet.Leaf(parquet.BooleanType))
	group := w.BeginRowGroup()
	if _, err := group.ColumnWriters()[0].WriteRowValues([]parquet.Value{parquet.BooleanValue(answer).Level(0, 0, 0)}); err != nil {
		return err
	}
	if _, err := group.Commit(); err != nil {
		return err
	}
	return w.Close()
}
