package results

import (
	"bytes"
	"io"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// dictionaryType is the type of every column.
var dictionaryType = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}

// messageBytes is about what a batch takes beside its rows and the text of its dictionaries.
const messageBytes = 16 << 10

// arrowShape writes the streaming format of Arrow IPC. Each record batch follows all of its dictionaries, which replace
// those before, so that batches are made in parallel and no dictionary grows with the answer.
func arrowShape(variables []string) *shape {
	schema := arrowSchema(variables)
	head, foot := arrowFrame(schema)
	return &shape{head: head, foot: foot, cells: batchCells, rows: func(f *formatter, dst []byte, cols [][]ID, n int, _ bool) []byte {
		return batchRows(f, dst, cols, n, func(c *columns, dst []byte) []byte { return c.appendArrow(f, dst, schema) })
	}}
}

// arrowSchema has a column for the values of each variable and one for the kinds.
func arrowSchema(variables []string) *arrow.Schema {
	fields := make([]arrow.Field, 0, 2*len(variables))
	for _, v := range variables {
		fields = append(fields, arrow.Field{Name: v, Type: dictionaryType, Nullable: true},
			arrow.Field{Name: v + kindSuffix, Type: dictionaryType, Nullable: true})
	}
	return arrow.NewSchema(fields, nil)
}

// arrowFrame is what stands before and behind the batches.
func arrowFrame(schema *arrow.Schema) (head []byte, foot string) {
	var stream bytes.Buffer
	_ = ipc.NewWriter(&stream, ipc.WithSchema(schema)).Close()
	const end = 8 // the mark of the end: a continuation and no length
	whole := stream.Bytes()
	return whole[:len(whole)-end], string(whole[len(whole)-end:])
}

// appendArrow appends the batch and its dictionaries.
func (c *columns) appendArrow(f *formatter, dst []byte, schema *arrow.Schema) []byte {
	arrays := make([]arrow.Array, 0, 2*len(c.list))
	for i := range c.list {
		l := &c.list[i]
		values, kinds := l.split()
		arrays = append(arrays, dictionaryArray(values, l.nulls, &l.value), dictionaryArray(kinds, l.nulls, &l.kind))
	}
	batch := array.NewRecordBatch(schema, arrays, int64(c.rows))
	defer batch.Release()
	out := &messages{text: slices.Grow(dst, c.text()+8*len(c.list)*c.rows+c.rows/4*len(c.list)+messageBytes)}
	f.fail(ipc.NewWriterWithPayloadWriter(out, ipc.WithSchema(schema)).Write(batch))
	return out.text
}

// dictionaryArray is a column as Arrow has it, over the same memory.
func dictionaryArray(places []int32, nulls int, t *texts) arrow.Array {
	values := array.NewData(arrow.BinaryTypes.String, t.len(), []*memory.Buffer{nil,
		memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(t.ends)), memory.NewBufferBytes(t.text)}, nil, 0, 0)
	buffers := []*memory.Buffer{nil, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(places))}
	if nulls > 0 {
		buffers[0] = memory.NewBufferBytes(validity(places))
	}
	return array.NewDictionaryData(array.NewDataWithDictionary(dictionaryType, len(places), buffers, nulls, 0, values))
}

// validity has a bit for each place that is one; what is none becomes 0, which nobody reads.
func validity(places []int32) []byte {
	bits := make([]byte, bitutil.BytesForBits(int64(len(places))))
	for i, p := range places {
		if p >= 0 {
			bitutil.SetBit(bits, i)
		} else {
			places[i] = 0
		}
	}
	return bits
}

// messages appends the messages of a stream, without its schema, which the head of the answer has.
type messages struct {
	text  []byte
	begun bool
}

// Start implements ipc.PayloadWriter.
func (m *messages) Start() error { return nil }

// Close implements ipc.PayloadWriter.
func (m *messages) Close() error { return nil }

// WritePayload appends a message.
func (m *messages) WritePayload(p ipc.Payload) error {
	if !m.begun {
		m.begun = true
		return nil
	}
	_, err := p.WritePayload(m)
	return err
}

// Write appends bytes.
func (m *messages) Write(b []byte) (int, error) {
	m.text = append(m.text, b...)
	return len(b), nil
}

// writeArrowBoolean writes the answer of ASK: one row of one column.
func writeArrowBoolean(out io.Writer, answer bool) error {
	schema := arrow.NewSchema([]arrow.Field{{Name: "boolean", Type: arrow.FixedWidthTypes.Boolean}}, nil)
	b := array.NewBooleanBuilder(memory.DefaultAllocator)
	b.Append(answer)
	w := ipc.NewWriter(out, ipc.WithSchema(schema))
	if err := w.Write(array.NewRecordBatch(schema, []arrow.Array{b.NewArray()}, 1)); err != nil {
		return err
	}
	return w.Close()
}

// ReadArrow reads a stream of record batches as they come, into memory of mem; the reader is to be released. It copies what it reads
// once, from the reader into that memory.
func ReadArrow(in io.Reader, mem memory.Allocator) (array.RecordReader, error) {
	return ipc.NewReader(in, ipc.WithAllocator(mem))
}
