package loader

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"sync/atomic"
)

// task is work for an encoder: a block of a line-based input, or a whole document of another format.
type task struct {
	source *source
	block  block
}

// readAll reads all inputs: a few goroutines read and unpack line-based inputs and cut them into blocks; as many
// workers as there are cores encode these, and whole documents of other formats.
func (l *load) readAll(ctx context.Context) error {
	tasks := make(chan task, l.options.Threads)
	free := make(chan []byte, 2*l.options.Threads+2)
	readers := max(1, min(len(l.sources), l.options.Threads/2))
	var next, active atomic.Int64
	active.Store(int64(readers))
	return parallel(ctx, readers+l.options.Threads, func(ctx context.Context, worker int) error {
		if worker >= readers {
			return l.encode(ctx, tasks, free)
		}
		defer func() {
			if active.Add(-1) == 0 {
				close(tasks)
			}
		}()
		for i := int(next.Add(1)) - 1; i < len(l.sources); i = int(next.Add(1)) - 1 {
			if err := l.cutBlocks(ctx, l.sources[i], tasks, free); err != nil {
				return err
			}
		}
		return nil
	})
}

// cutBlocks makes tasks of one input.
func (l *load) cutBlocks(ctx context.Context, s *source, tasks chan<- task, free <-chan []byte) error {
	if !s.lines() {
		return send(ctx, tasks, task{source: s})
	}
	r, err := s.open(ctx, &l.read)
	if err != nil {
		return err
	}
	defer r.Close()
	blocks := newBlockReader(r)
	for {
		var buffer []byte
		select {
		case buffer = <-free:
		default:
		}
		b, err := blocks.next(buffer)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return r.named(err)
		}
		if err := send(ctx, tasks, task{s, b}); err != nil {
			return err
		}
	}
}

func send(ctx context.Context, tasks chan<- task, t task) error {
	select {
	case tasks <- t:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// encode does tasks until there are no more.
func (l *load) encode(ctx context.Context, tasks <-chan task, free chan<- []byte) error {
	e, err := l.newEncoder()
	if err != nil {
		return err
	}
	for t := range tasks {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if t.source.lines() {
			err = l.encodeBlock(e, t)
			select {
			case free <- t.block.text[:0]:
			default:
			}
		} else {
			err = l.encodeDocument(ctx, e, t.source)
		}
		if err != nil {
			return err
		}
		if err := l.relieve(); err != nil {
			return err
		}
	}
	return l.endEncoder(e)
}

func (l *load) newEncoder() (e *encoder, err error) {
	e = &encoder{terms: l.terms, names: l.names, triples: l.triples, into: l.into, classes: map[uint32]uint32{}}
	e.rows, err = l.triples.fresh()
	return e, err
}

// scope is the scope of the blank nodes of an input.
func (l *load) scope(s *source) string {
	if l.blanks != "" {
		return l.blanks + strconv.Itoa(s.number) + "_"
	}
	return blankScope(l.firstScope + s.number)
}

// endEncoder adds what an encoder counted to the sums of all.
func (l *load) endEncoder(e *encoder) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.classes = mergeCounts(l.classes, e.classes)
	if more := len(e.uses) - len(l.uses); more > 0 {
		l.uses = append(l.uses, make([]uint64, more)...)
	}
	for n, used := range e.uses {
		l.uses[n] += used
	}
	return l.triples.add(e.rows)
}

func (l *load) encodeBlock(e *encoder, t task) error {
	l.gate.RLock()
	defer l.gate.RUnlock()
	e.begin(l.scope(t.source), t.source.Format == NQuads)
	err := e.block(t.block, func(fault SyntaxError) error {
		fault.File = t.source.Name
		return l.skip(fault)
	})
	return named(err, t.source.Name)
}

// skip decides whether a load goes on after a bad line.
func (l *load) skip(fault SyntaxError) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.report.BadLines >= l.options.SkipBad {
		if l.report.BadLines > 0 {
			return fmt.Errorf("loader: %w (after %d bad lines that were skipped)", &fault, l.report.BadLines)
		}
		return fmt.Errorf("loader: %w", &fault)
	}
	l.report.BadLines++
	if len(l.report.Skipped) < maxSkipped {
		l.report.Skipped = append(l.report.Skipped, fault)
	}
	return nil
}

// documentStride is how many statements of a document are encoded between two looks at the term table's size.
const documentStride = 4096

// encodeDocument encodes a whole document of a format that is not line-based.
func (l *load) encodeDocument(ctx context.Context, e *encoder, s *source) error {
	r, err := s.open(ctx, &l.read)
	if err != nil {
		return err
	}
	defer r.Close()
	l.gate.RLock()
	defer l.gate.RUnlock()
	n := 0
	emit := func(q Quad) error {
		if n++; n%documentStride == 0 {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			l.gate.RUnlock()
			err := l.relieve()
			l.gate.RLock()
			if err != nil {
				return err
			}
		}
		return e.quad(q)
	}
	scope := l.scope(s)
	switch s.Format {
	case Turtle, TriG:
		err = readTurtle(r, s.Format == TriG, s.Base, scope, emit)
	case RDFXML:
		err = readXML(r, s.Base, scope, emit)
	default:
		err = fmt.Errorf("%w: %q", ErrFormat, s.Format)
	}
	if err != nil {
		return r.named(err)
	}
	return nil
}

// relieve spills the term table when it has outgrown its share of the memory.
func (l *load) relieve() error {
	if l.terms.held.Load() < l.termBudget() {
		return nil
	}
	l.gate.Lock()
	defer l.gate.Unlock()
	if l.terms.held.Load() < l.termBudget() {
		return nil // another worker did it
	}
	if err := l.spillTerms(); err != nil {
		return err
	}
	return l.terms.restart()
}

// termBudget leaves room for the sort: 16 bytes for each term of some 60.
func (l *load) termBudget() int64 { return l.options.Memory * 3 / 8 }
