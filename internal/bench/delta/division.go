package main

import (
	"bufio"
	"bytes"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
)

// division is a data set of which a share of the triples comes later, and a share goes.
type division struct {
	// base is the file of what is loaded first, result that of what is there in the end.
	base, result string
	// inserted and removed are lines of N-Triples.
	inserted, removed [][]byte
}

// divide draws lines of a file by their hash, the same for the same file and share.
func divide(data, folder string, share float64) (*division, error) {
	in, err := os.Open(data)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	d := &division{base: filepath.Join(folder, "base.nt"), result: filepath.Join(folder, "result.nt")}
	base, err := newLines(d.base)
	if err != nil {
		return nil, err
	}
	defer base.Close()
	result, err := newLines(d.result)
	if err != nil {
		return nil, err
	}
	defer result.Close()
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		switch line := lines.Bytes(); {
		case drawn(line) < share:
			d.inserted = append(d.inserted, bytes.Clone(line))
			result.add(line)
		case drawn(line) < 2*share:
			d.removed = append(d.removed, bytes.Clone(line))
			base.add(line)
		default:
			base.add(line)
			result.add(line)
		}
	}
	return d, firstOf(lines.Err(), base.Flush(), result.Flush())
}

// drawn is a number from 0 to 1 for each line.
func drawn(line []byte) float64 {
	h := fnv.New64a()
	h.Write(line)
	return float64(h.Sum64()*0x9E3779B97F4A7C15>>11) / (1 << 53) // FNV's high bits alone are not even
}

// lines is a file that is written.
type lines struct {
	*bufio.Writer
	io.Closer
}

func newLines(name string) (lines, error) {
	f, err := os.Create(name)
	if err != nil {
		return lines{}, err
	}
	return lines{bufio.NewWriterSize(f, 1<<20), f}, nil
}

// add writes a line; an error comes with Flush.
func (l lines) add(line []byte) {
	l.Write(line)
	l.WriteByte('\n')
}

// batches calls do with the text of an update for each so many triples.
func batches(verb string, triples [][]byte, do func(text string) error) error {
	const size = 5000
	for len(triples) > 0 {
		n := min(size, len(triples))
		if err := do(fmt.Sprintf("%s DATA {\n%s\n}", verb, bytes.Join(triples[:n], []byte{'\n'}))); err != nil {
			return err
		}
		triples = triples[n:]
	}
	return nil
}

// firstOf is the first error that is one.
func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
