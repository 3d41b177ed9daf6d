package wal

import (
	"errors"
	"fmt"
	"io"
)

// tail is where the records of the last file end.
type tail struct {
	// end is where the last record ends; last is its sequence.
	end  int64
	last uint64
	// synced is the highest sequence that the file says was durable.
	synced uint64
	// torn is set where something lies behind the end, of which left tells.
	torn bool
	left remains
}

// recover finds the end of the last file, cuts off what lies behind it and makes the rest durable.
func (l *Log) recover() error {
	f := l.files[len(l.files)-1]
	t, err := findTail(f, f.file)
	if err != nil {
		return err
	}
	if t.left.synced > t.last {
		return damaged(f.name, t.end, "record %d was durable, and is no whole frame", t.last+1)
	}
	f.end, f.limit, f.begun = t.end, max(l.fileSize, t.end), t.end
	l.last.Store(t.last)
	if t.torn {
		l.report.CutFile, l.report.CutOffset = f.name, t.end
		l.report.CutBytes, l.report.CutRecords = t.left.end-t.end, t.left.records
		if err := f.file.Truncate(t.end); err != nil {
			return fmt.Errorf("wal: cut %s: %w", f.name, err)
		}
	}
	_ = f.file.Allocate(f.limit) // a log on a full disk can be read, and appended to when there is space
	if t.synced < t.last {
		err = rewrite(f, f.before(t.synced+1).offset)
	}
	if err = errors.Join(err, f.file.Sync(), l.folder.Sync()); err != nil {
		return fmt.Errorf("wal: %s: %w", f.name, err)
	}
	return nil
}

// findTail reads a file that has no next one to its end, and notes places of it.
func findTail(f *logFile, in File) (t tail, err error) {
	size, err := in.Size()
	if err != nil {
		return t, fmt.Errorf("wal: %w", err)
	}
	s := &scanner{name: f.name, in: in, size: size, seed: f.seed, at: headerBytes}
	t.last = f.first - 1
	for {
		t.end = s.at
		r, v, err := s.next()
		if err != nil {
			return t, err
		}
		if v != good || r.kind != recordFrame || r.sequence != t.last+1 {
			if t.synced, err = s.endOfRecords(r, v, t); err != nil {
				return t, err
			}
			break
		}
		t.last, t.synced = r.sequence, max(t.synced, r.synced)
		f.note(place{t.last, t.end})
	}
	from := s.at
	t.left, err = s.search(t.last + 1)
	t.torn = t.left.end > from
	return t, err
}

// endOfRecords looks at what stands behind the last record: a mark is stepped over, and says what was durable.
func (s *scanner) endOfRecords(r frame, v verdict, t tail) (synced uint64, err error) {
	if v == good && r.sequence == t.last && r.kind == endFrame {
		return 0, damaged(s.name, t.end, "the log goes on in %s, which is missing", fileName(t.last+1))
	}
	if v == good && r.sequence == t.last && r.kind == markFrame {
		return max(t.synced, r.synced), nil
	}
	s.at = t.end
	return t.synced, nil
}

// rewrite writes the records from a place on again, as they are. They may lie in the memory of the system alone, as if
// they had been written: a sync that failed in an earlier process leaves them so, and the next one would not write them.
func rewrite(f *logFile, from int64) error {
	b := make([]byte, min(1<<20, f.end-from))
	for from < f.end {
		b = b[:min(int64(len(b)), f.end-from)]
		if _, err := f.file.ReadAt(b, from); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if _, err := f.file.WriteAt(b, from); err != nil {
			return err
		}
		from += int64(len(b))
	}
	return nil
}
