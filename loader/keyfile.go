package loader

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
)

// keyFile is a nameless file of keys, each after its length.
type keyFile struct {
	file *tempFile
	w    *bufio.Writer
	size int64
}

func newKeyFile(files *tempFiles, buffer int) (*keyFile, error) {
	f, err := files.create()
	if err != nil {
		return nil, err
	}
	return &keyFile{file: f, w: bufio.NewWriterSize(f, buffer)}, nil
}

func (f *keyFile) add(key []byte) error {
	var head [binary.MaxVarintLen32]byte
	n := binary.PutUvarint(head[:], uint64(len(key)))
	if _, err := f.w.Write(head[:n]); err != nil {
		return err
	}
	f.size += int64(n + len(key))
	_, err := f.w.Write(key)
	return err
}

// addPlaced is add of a key after four bytes.
func (f *keyFile) addPlaced(place uint32, key []byte) error {
	var head [binary.MaxVarintLen32 + 4]byte
	n := binary.PutUvarint(head[:], uint64(4+len(key)))
	binary.LittleEndian.PutUint32(head[n:], place)
	if _, err := f.w.Write(head[:n+4]); err != nil {
		return err
	}
	f.size += int64(n + 4 + len(key))
	_, err := f.w.Write(key)
	return err
}

// each calls do for every key from the start of the file. The key is valid until the next.
func (f *keyFile) each(ctx context.Context, do func(key []byte) error) error {
	if err := f.w.Flush(); err != nil {
		return err
	}
	r := bufio.NewReaderSize(f.file.reader(), runBuffer)
	var key []byte
	for i := 0; ; i++ {
		n, err := binary.ReadUvarint(r)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		key = slices.Grow(key[:0], int(n))[:n]
		if _, err := io.ReadFull(r, key); err != nil {
			return err
		}
		if err := do(key); err != nil {
			return err
		}
		if i%stride == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// fileSource hands out terms that a merge has written, in the order of their ranks.
type fileSource struct {
	memory              *memory
	files               *tempFiles
	resources, literals *keyFile
}

func newFileSource(m *memory, files *tempFiles) (s *fileSource, err error) {
	s = &fileSource{memory: m, files: files}
	if s.resources, err = newKeyFile(files, runBuffer); err != nil {
		return nil, err
	}
	if s.literals, err = newKeyFile(files, runBuffer); err != nil {
		return nil, errors.Join(err, s.release())
	}
	return s, nil
}

func (s *fileSource) release() (err error) {
	for _, f := range []*keyFile{s.resources, s.literals} {
		if f != nil {
			err = errors.Join(err, f.file.Close())
		}
	}
	return err
}

func (s *fileSource) writeLiterals(ctx context.Context, w *dictionary.Writer) error {
	return s.literals.each(ctx, func(key []byte) error {
		_, err := w.Add(key)
		return err
	})
}

// bucketTerms is how many resources of small groups are put in order in memory at a time.
const bucketTerms = 1 << 20

// writeResources distributes the terms over buckets, each a run of positions that is either one group, whose terms come
// in order, or small enough to be put in order in memory.
func (s *fileSource) writeResources(ctx context.Context, w *dictionary.Writer, position, groups []uint32) (err error) {
	starts := bucketStarts(groups, len(position))
	buckets := make([]*keyFile, len(starts))
	defer func() {
		for _, b := range buckets {
			if b != nil {
				err = errors.Join(err, b.file.Close())
			}
		}
	}()
	for i := range buckets {
		if buckets[i], err = newKeyFile(s.files, 1<<16); err != nil {
			return err
		}
	}
	rank := 0
	err = s.resources.each(ctx, func(key []byte) error {
		b, exact := slices.BinarySearch(starts, position[rank])
		if !exact {
			b--
		}
		rank++
		return buckets[b].addPlaced(position[rank-1], key)
	})
	if err != nil {
		return err
	}
	g := &groupWriter{w: w, groups: groups}
	for i, b := range buckets {
		end := len(position)
		if i+1 < len(starts) {
			end = int(starts[i+1])
		}
		if err := g.bucket(ctx, b, int(starts[i]), end); err != nil {
			return err
		}
	}
	return nil
}

// bucketStarts cuts the positions into buckets at starts of groups.
func bucketStarts(groups []uint32, terms int) (starts []uint32) {
	size := max(bucketTerms, terms/128)
	for i, g := range groups {
		end := uint32(terms)
		if i+1 < len(groups) {
			end = groups[i+1]
		}
		if len(starts) == 0 || int(end-starts[len(starts)-1]) > size {
			starts = append(starts, g)
		}
	}
	return starts
}

// groupWriter adds resources in the order of their positions and starts groups where they start.
type groupWriter struct {
	w      *dictionary.Writer
	groups []uint32
	at     uint32
}

func (g *groupWriter) add(key []byte) error {
	if len(g.groups) > 0 && g.groups[0] == g.at {
		g.w.Group()
		g.groups = g.groups[1:]
	}
	g.at++
	_, err := g.w.Add(key)
	return err
}

// bucket adds the terms of a bucket: as they come where they are in order, else after sorting them.
func (g *groupWriter) bucket(ctx context.Context, b *keyFile, from, to int) error {
	oneGroup := len(g.groups) < 2 || int(g.groups[1]) >= to
	if oneGroup {
		return b.each(ctx, func(record []byte) error { return g.add(record[4:]) })
	}
	var text []byte
	places := make([]uint64, to-from) // where the key of a position starts
	ends := make([]uint64, to-from)
	err := b.each(ctx, func(record []byte) error {
		i := int(binary.LittleEndian.Uint32(record)) - from
		places[i] = uint64(len(text))
		text = append(text, record[4:]...)
		ends[i] = uint64(len(text))
		return nil
	})
	for i := range places {
		if err == nil {
			err = g.add(text[places[i]:ends[i]])
		}
	}
	return err
}
