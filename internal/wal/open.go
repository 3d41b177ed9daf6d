package wal

import (
	"errors"
	"fmt"
)

// Options of Open and OpenReader.
type Options struct {
	// FileSize is the size of a file in bytes, 0 for 64 MiB; records that do not fit have a larger one for themselves.
	FileSize int64
	// First is the first sequence of a log that is started anew, where the folder has none; 0 for 1.
	First uint64
	// Identity is the log that is expected, as Log.Identity told it; another one, or none, is ErrDamaged. 0 for any.
	Identity uint64
	// Folder is where the files lie; nil for the folder of the operating system that Open names.
	Folder Folder
}

const defaultFileSize = 64 << 20

// folder is that of the options, or the one named dir.
func (o *Options) folder(dir string, open func(string) (Folder, error)) (Folder, error) {
	if o.Folder != nil {
		return o.Folder, nil
	}
	return open(dir)
}

// Report is what Open found.
type Report struct {
	// Created is set where there was no log.
	Created bool
	// Files is how many the log has.
	Files int
	// First and Last are the sequences of the log; Last is First − 1 where it has no record.
	First, Last uint64
	// CutBytes of a torn tail were cut off CutFile at CutOffset, with CutRecords whole records in them that nobody had
	// been told to be durable; 0 where the log ended well.
	CutFile    string
	CutOffset  int64
	CutBytes   int64
	CutRecords int
}

// Open opens the log in the folder dir, which is made where it is not there, and starts a log where it has none.
//
// It finds the end. What a crash left of records that were not durable is cut off and told (Report). The error is
// ErrDamaged where a record that was durable is wrong or a file is missing, ErrVersion for a log of a newer format.
// Only the last file is read whole here; Read checks what it reads. All that Open finds is durable when it returns.
func Open(dir string, o Options) (*Log, error) {
	folder, err := o.folder(dir, openDisk)
	if err != nil {
		return nil, err
	}
	l := &Log{folder: folder, fileSize: max(o.FileSize, headerBytes)}
	if o.FileSize == 0 {
		l.fileSize = defaultFileSize
	}
	if err := l.find(); err != nil {
		return nil, err
	}
	if len(l.files) == 0 {
		err = l.begin(o)
	} else if err = l.checkFiles(o.Identity); err == nil {
		err = l.recover()
	}
	if err != nil {
		return nil, errors.Join(err, l.closeFile())
	}
	l.report.Files, l.report.First, l.report.Last = len(l.files), l.files[0].first, l.last.Load()
	l.synced.Store(l.report.Last)
	l.mark()
	return l, nil
}

// find lists the files and removes those that a crash left unfinished.
func (l *Log) find() error {
	firsts, unfinished, err := listed(l.folder)
	for _, first := range firsts {
		l.files = append(l.files, &logFile{name: fileName(first), fileHeader: fileHeader{first: first}})
	}
	for _, name := range unfinished {
		if err == nil {
			err = l.folder.Remove(name)
		}
	}
	return err
}

// begin starts a log.
func (l *Log) begin(o Options) error {
	if o.Identity != 0 {
		return fmt.Errorf("wal: %w: the folder of the log has none of its files", ErrDamaged)
	}
	first := max(o.First, 1)
	f, err := create(l.folder, fileHeader{identity: random(), seed: random(), first: first}, l.fileSize)
	if err != nil {
		return err
	}
	l.files = []*logFile{f}
	l.last.Store(first - 1)
	l.report.Created = true
	return l.folder.Sync()
}

// checkFiles reads the headers: the files must be those of one log, none missing between them.
func (l *Log) checkFiles(identity uint64) error {
	for i, f := range l.files {
		if err := l.checkFile(f); err != nil {
			return err
		}
		if identity == 0 {
			identity = f.identity
		}
		if f.identity != identity {
			return damaged(f.name, 16, "the file is one of another log")
		}
		if i > 0 && f.previous != l.files[i-1].first {
			return damaged(f.name, 40, "the file before it, %s, is missing", fileName(f.previous))
		}
	}
	return nil
}

// checkFile reads a header, and leaves the last file open.
func (l *Log) checkFile(f *logFile) (err error) {
	last := f == l.files[len(l.files)-1]
	if f.file, err = l.folder.Open(f.name, last); err != nil {
		return fmt.Errorf("wal: %w", err)
	}
	if f.fileHeader, err = readHeader(f.name, f.first, f.file); err == nil {
		f.end, err = f.file.Size()
	}
	if !last {
		err = errors.Join(err, f.file.Close())
		f.file = nil
	}
	return err
}
