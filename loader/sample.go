package loader

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// inputSample is blocks of N-Quads taken from an input, about evenly spaced over the part of it that was looked at.
type inputSample struct {
	blocks [][]byte
	// weight is how many bytes of the input one byte of the sample stands for.
	weight float64
	whole  bool // the sample is the input
}

// sampleBlock is the size of one block of a sample.
const sampleBlock = 512 << 10

// lookAt is how many unpacked bytes of a packed input are read at most, for each way of packing: about two seconds.
var lookAt = map[Compression]int64{Gzip: 512 << 20, Zstd: 2 << 30, Bzip2: 64 << 20}

// takeSample reads at most about size bytes of text out of an input.
func (s *source) takeSample(ctx context.Context, size int64) (inputSample, error) {
	if s.Reader != nil || s.size == 0 && s.compression == Plain && !s.isEmpty() {
		return inputSample{}, fmt.Errorf("loader: %s: %w", s.Name, errNoSize)
	}
	switch {
	case !s.lines():
		return s.sampleDocument(ctx, size)
	case s.compression == Plain && s.size > size:
		return s.sampleLines(size)
	}
	return s.samplePacked(ctx, size)
}

var errNoSize = errors.New("its size is not known; give a file")

func (s *source) isEmpty() bool {
	info, err := os.Stat(s.Name)
	return err == nil && info.Mode().IsRegular()
}

// sampleLines reads blocks of a file of lines where they lie.
func (s *source) sampleLines(size int64) (inputSample, error) {
	f, err := os.Open(s.Name)
	if err != nil {
		return inputSample{}, fmt.Errorf("loader: %w", err)
	}
	defer f.Close()
	var taken inputSample
	n := max(size/sampleBlock, 1)
	total := 0
	for i := range n {
		text := make([]byte, sampleBlock)
		read, err := f.ReadAt(text, i*(s.size-sampleBlock)/max(n-1, 1))
		if err != nil && err != io.EOF {
			return inputSample{}, fmt.Errorf("loader: %w", err)
		}
		text = wholeLines(text[:read], i > 0)
		taken.blocks = append(taken.blocks, text)
		total += len(text)
	}
	taken.weight = float64(s.size) / float64(max(total, 1))
	return taken, nil
}

// wholeLines cuts off what is left of the first line, where told to, and the last line that has no end.
func wholeLines(text []byte, cutFirst bool) []byte {
	if cutFirst {
		text = text[bytes.IndexByte(text, '\n')+1:]
	}
	return text[:bytes.LastIndexByte(text, '\n')+1]
}

// samplePacked reads an input of lines from its start and keeps blocks at equal distances: the distance doubles, and
// every other block is dropped, whenever they become too many.
func (s *source) samplePacked(ctx context.Context, size int64) (inputSample, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var packed atomic.Int64
	r, err := s.open(ctx, &packed)
	if err != nil {
		return inputSample{}, err
	}
	defer r.Close()
	var taken inputSample
	var seen, kept int64
	slope := meter{limit: lookAt[s.compression]}
	stride, number := int64(1), int64(0)
	blocks := newBlockReader(io.LimitReader(r, max(slope.limit, size)))
	for ; ; number++ {
		b, err := blocks.next(make([]byte, 0, sampleBlock))
		if err == io.EOF {
			break
		}
		if err != nil {
			return inputSample{}, r.named(err)
		}
		seen += int64(len(b.text))
		slope.note(seen, packed.Load())
		if number%stride != 0 {
			continue
		}
		taken.blocks = append(taken.blocks, wholeLines(append(b.text, '\n'), false))
		if kept += int64(len(b.text)); kept > 2*size && len(taken.blocks) > 1 {
			taken.blocks, kept = everyOther(taken.blocks)
			stride *= 2
		}
	}
	var more [1]byte
	n, _ := io.ReadFull(r, more[:]) // an error would have come up above, or comes with the load
	if n == 0 {
		taken.whole = stride == 1
		taken.weight = float64(seen) / float64(max(kept, 1))
		return taken, nil
	}
	if len(taken.blocks) > 1 { // the last one may be cut
		taken.blocks = taken.blocks[:len(taken.blocks)-1]
	}
	text := float64(seen) + float64(max(s.size-packed.Load(), 0))*slope.unpacking()
	taken.weight = text / float64(max(kept, 1))
	return taken, nil
}

func everyOther(blocks [][]byte) (half [][]byte, size int64) {
	for i := 0; i < len(blocks); i += 2 {
		half = append(half, blocks[i])
		size += int64(len(blocks[i]))
	}
	return half, size
}

// meter measures how much text a packed byte holds, over the second half of what was read, so that what the unpacker
// reads ahead does not count.
type meter struct {
	limit                     int64
	seen, packed              int64
	halfwaySeen, halfwayPacks int64
}

func (m *meter) note(seen, packed int64) {
	m.seen, m.packed = seen, packed
	if seen < m.limit/2 {
		m.halfwaySeen, m.halfwayPacks = seen, packed
	}
}

func (m *meter) unpacking() float64 {
	if m.packed == m.halfwayPacks {
		return float64(m.seen) / float64(max(m.packed, 1))
	}
	return float64(m.seen-m.halfwaySeen) / float64(m.packed-m.halfwayPacks)
}

// errEnough ends the reading of a document.
var errEnough = errors.New("enough was read")

// sampleDocument reads the first statements of a document that is not made of lines.
func (s *source) sampleDocument(ctx context.Context, size int64) (inputSample, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var packed atomic.Int64
	r, err := s.open(ctx, &packed)
	if err != nil {
		return inputSample{}, err
	}
	defer r.Close()
	var taken inputSample
	var text []byte
	total := int64(0)
	err = Read(r, s.Format, s.Base, func(q Quad) error {
		start := len(text)
		for _, t := range []rdf.Term{q.Subject, q.Predicate, q.Object, q.Graph} {
			if !t.IsZero() {
				text = append(rdf.AppendNTriples(text, t), ' ')
			}
		}
		text = append(text, ".\n"...)
		total += int64(len(text) - start)
		if len(text) > sampleBlock {
			taken.blocks = append(taken.blocks, text)
			text = nil
		}
		if total > size {
			return errEnough
		}
		return ctx.Err()
	})
	taken.blocks = append(taken.blocks, text)
	taken.weight, taken.whole = 1, true
	if errors.Is(err, errEnough) {
		taken.whole = false
		taken.weight = max(float64(s.size)/float64(max(packed.Load(), 1)), 1)
		err = nil
	}
	if err != nil {
		return inputSample{}, r.named(err)
	}
	return taken, nil
}
