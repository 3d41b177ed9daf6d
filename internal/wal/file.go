package wal

import (
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
)

const (
	suffix    = ".log"
	temporary = ".tmp"
)

var logName = regexp.MustCompile(`^[0-9]{16,20}\.log$`)

// fileName is the name of the file that begins with a sequence.
func fileName(first uint64) string { return fmt.Sprintf("%016d", first) + suffix }

// logFile is one file of a log.
type logFile struct {
	name string
	fileHeader
	// end is where the next frame begins; of a file that was written before the log was opened, and is not the last, the
	// end of the file.
	end int64
	// limit is what the file may grow to before the log goes on in another one.
	limit int64
	// begun is where appending began, as far as this process knows; zeroed is up to where the file was written with zeros since.
	begun, zeroed int64
	// index has some places of frames, in order, where they are known.
	index []place
	file  File // of the last file
}

// place is where the frame of a record begins.
type place struct {
	sequence uint64
	offset   int64
}

// indexStep is how far apart the places of an index are at least.
const indexStep = 64 << 10

// note puts a place into the index where the last one is far away.
func (f *logFile) note(p place) {
	if n := len(f.index); n == 0 || p.offset-f.index[n-1].offset >= indexStep {
		f.index = append(f.index, p)
	}
}

// before is a place from which reading on comes to a sequence.
func (f *logFile) before(sequence uint64) place {
	i := sort.Search(len(f.index), func(i int) bool { return f.index[i].sequence > sequence })
	if i == 0 {
		return place{f.first, headerBytes}
	}
	return f.index[i-1]
}

// mostZeros is how much of a file is written with zeros ahead of the records, in bytes.
const mostZeros = 256 << 10

// withZeros appends zeros to frames that are to be written at the end, where these are the first to be written there: as many bytes again as
// were appended so far, up to mostZeros. What is written over them later is synced without the file system's journal, which has to note
// when a block of an allocated file is written for the first time; one sync of many blocks is cheaper than a note for each.
func (f *logFile) withZeros(frames []byte) []byte {
	end := f.end + int64(len(frames))
	if end <= f.zeroed {
		return frames
	}
	n := int(max(0, min(end-f.begun, mostZeros, f.limit-end)))
	frames = slices.Grow(frames, n)
	clear(frames[len(frames) : len(frames)+n])
	return frames[:len(frames)+n]
}

// empty reports whether the file has no record.
func (f *logFile) empty() bool { return f.end == headerBytes }

// listed are the first sequences of the files of a folder, in order, and the names of those that were not finished.
func listed(folder Folder) (firsts []uint64, unfinished []string, err error) {
	names, err := folder.Names()
	if err != nil {
		return nil, nil, fmt.Errorf("wal: %w", err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, suffix+temporary) {
			unfinished = append(unfinished, name)
		}
		if !logName.MatchString(name) {
			continue
		}
		first, err := strconv.ParseUint(strings.TrimSuffix(name, suffix), 10, 64)
		if err != nil || first == 0 || fileName(first) != name {
			return nil, nil, damaged(name, 0, "no sequence has that name")
		}
		firsts = append(firsts, first)
	}
	slices.Sort(firsts)
	return firsts, unfinished, nil
}

// create makes a file that is ready for frames, and durable.
func create(folder Folder, h fileHeader, limit int64) (*logFile, error) {
	f := &logFile{name: fileName(h.first), fileHeader: h, end: headerBytes, limit: limit, begun: headerBytes}
	var err error
	if f.file, err = folder.Create(f.name + temporary); err != nil {
		return nil, fmt.Errorf("wal: %w", err)
	}
	if err = f.file.Allocate(limit); err == nil {
		_, err = f.file.WriteAt(h.encode(), 0)
	}
	if err == nil {
		err = f.file.Sync()
	}
	if err == nil {
		err = folder.Rename(f.name+temporary, f.name)
	}
	if err != nil {
		_ = f.file.Close()                    // the error is the first one
		_ = folder.Remove(f.name + temporary) // what is left the next Open removes
		return nil, fmt.Errorf("wal: create %s: %w", f.name, err)
	}
	return f, nil
}

// fileOf is the index of the file that has a sequence, or would have it; −1 where it was dropped.
func fileOf(firsts []uint64, sequence uint64) int {
	i, found := slices.BinarySearch(firsts, sequence)
	if !found {
		i--
	}
	return i
}
