package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"strconv"

	"github.com/rdfgpu/rdfgpu/internal/section"
	"github.com/rdfgpu/rdfgpu/internal/store"
	"github.com/rdfgpu/rdfgpu/internal/wal"
)

// openLog opens the log for writing, and replays it.
func (s *Store) openLog(ctx context.Context) (err error) {
	m := s.head.ground.files.Manifest()
	if s.log, err = wal.Open(s.logFolder(), wal.Options{
		First: m.Log.Sequence + 1, Identity: identity(m), Folder: s.options.LogFolder, FileSize: logFileSize(m.Bytes()),
	}); err != nil {
		return err
	}
	if m.Log.ID == "" {
		if err := s.lock.StartLog(store.Log{ID: historyName(s.log.Identity()), Sequence: m.Log.Sequence}); err != nil {
			return err
		}
	}
	if err := s.fillLog(m); err != nil {
		return err
	}
	if err := s.replay(ctx, s.log.Read, s.log.First()); err != nil {
		return err
	}
	s.syncer = wal.NewSyncer(s.log, s.options.Durability)
	s.turn = make(chan struct{}, 1)
	s.maintenance.begin(s)
	return nil
}

// fillLog makes the log end no earlier than the files: a crash came between the two, or before commits were durable that a flush
// had written to the files by then.
func (s *Store) fillLog(m *store.Manifest) error {
	for s.log.Last() < m.Log.Sequence {
		var unknown wal.Summary
		if _, err := s.log.Append(unknown.Append(nil, m.Created)); err != nil {
			return fmt.Errorf("live: %w", err)
		}
	}
	_, err := s.log.Sync()
	return err
}

// readLog replays the log of a store that is open for reading, if it has one.
func (s *Store) readLog(ctx context.Context) error {
	m := s.head.ground.files.Manifest()
	if m.Log.ID == "" {
		return nil
	}
	r, err := wal.OpenReader(s.logFolder(), wal.Options{Identity: identity(m), Folder: s.options.LogFolder})
	if errors.Is(err, fs.ErrNotExist) { // files were there before the manifest named the log
		return fmt.Errorf("live: %s: %w: the log of the store has none of its files", s.logFolder(), section.ErrDamaged)
	}
	if err != nil {
		return err
	}
	first, err := r.First()
	if err != nil {
		return err
	}
	return s.replay(ctx, r.Read, first)
}

// logFileSize is the size of the files of a log, which are taken from the disk at once: a quarter of the store, within bounds.
func logFileSize(store int64) int64 { return max(leastLogFile, min(mostLogFile, store/4)) }

const (
	leastLogFile = 1 << 20
	mostLogFile  = 64 << 20
)

// identity is that of the log that the manifest names, 0 where it names none.
func identity(m *store.Manifest) uint64 {
	id, _ := strconv.ParseUint(m.Log.ID, 16, 64)
	return id
}

// replay applies the log's records that the files do not have.
func (s *Store) replay(ctx context.Context, read func(uint64) iter.Seq2[wal.Record, error], first uint64) error {
	files := s.head.sequence
	if first > files+1 {
		return fmt.Errorf("live: %s: %w: the log begins at commit %d, the files end at %d", s.logFolder(), section.ErrDamaged, first, files)
	}
	state, err := replayed(ctx, s.head, read(files+1))
	if errors.Is(err, wal.ErrBeyond) { // the files have more
		return nil
	}
	if err != nil {
		return err
	}
	s.head, s.published = state, state
	return nil
}

// replayed is a state with the commits of some records.
func replayed(ctx context.Context, from *State, records iter.Seq2[wal.Record, error]) (*State, error) {
	b := newBatch(from)
	err := section.Guard(func() error {
		for record, err := range records {
			if err == nil && ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			if err == nil {
				err = b.add(record)
			}
			if err != nil {
				return err
			}
		}
		return b.flush()
	})
	err = cmp.Or(err, b.wait())
	return b.state, err
}
