package dictionary

import (
	"context"

	"github.com/rdfgpu/rdfgpu/internal/section"
)

// What is read of a mapped file is compared with its checksums when it is first read: the small sections when the
// segment is opened, because all of them are read then, the others below.
var (
	termsChecked = []string{"sections", "groups", "symbols", "qualifier.from", "qualifier.ends", "qualifier.text"}
	hashChecked  = []string{"meta", "starts"}
)

// checkBlock checks a block of texts and the offsets that lead to it.
func (s *Segment) checkBlock(b int) {
	section.Check(s.files[0], s.offsets[b:b+2])
	if start, end := s.offsets[b], s.offsets[b+1]; start < end && end <= uint64(len(s.blocks)) {
		section.Check(s.files[0], s.blocks[start:end])
	}
}

// checkValue checks the two words of a value.
func (s *Segment) checkValue(i int) { section.Check(s.files[1], s.values[i:i+2]) }

// CheckAll compares the checksums of what has not been read yet, slowly, beside other work. From then on reading costs no
// checks. The error is section.ErrDamaged and names the file, or it is the context's.
func (d *Dictionary) CheckAll(ctx context.Context) error {
	for _, s := range d.segments {
		for _, f := range s.files {
			if err := f.CheckAll(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}
