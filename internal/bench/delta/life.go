package main

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
)

// life is what the changes of a share take from their commit to the compacted files, in bytes: of memory, while they are in the
// delta; of the files of the segment that they are flushed to; and of the base that everything is compacted into. The log's
// are in the description of the delta.
type life struct{ heap, segment, base int64 }

// writeLives prints what changes take, each share in a line.
func (t *table) writeLives() {
	fmt.Fprint(t.w, "\n| share | changes | new terms | memory of the delta, MB | a change, bytes | log, MB | a change | segment, MB | a change | base after compaction, MB |\n")
	fmt.Fprintln(t.w, "|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
	for _, m := range t.rows {
		changes := m.inserted + m.removed
		if changes == 0 {
			continue
		}
		each := func(bytes int64) float64 { return float64(bytes) / float64(changes) }
		fmt.Fprintf(t.w, "| %g %% | %d | %d | %.1f | %.0f | %.1f | %.0f | %.1f | %.0f | %.1f |\n", 100*m.share, changes, m.delta.Terms,
			float64(m.life.heap)/1e6, each(m.life.heap), float64(m.delta.LogBytes)/1e6, each(m.delta.LogBytes),
			float64(m.life.segment)/1e6, each(m.life.segment), float64(m.life.base)/1e6)
	}
}

// bytesOfHeap is what is in use of the heap, once what is not used has been collected.
func bytesOfHeap() int64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// bytesOfFiles is what the files of a store take, without its log.
func bytesOfFiles(dir string) (bytes int64, err error) {
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == "wal":
			return fs.SkipDir
		case entry.IsDir():
			return nil
		}
		info, err := entry.Info()
		if err == nil {
			bytes += info.Size()
		}
		return err
	})
	return bytes, err
}
