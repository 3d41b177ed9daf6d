package wal

import (
	"iter"
)

// MaxPayload is the largest payload of a record, in bytes.
const MaxPayload = 1 << 30

// Options of Open and OpenReader.
type Options struct {
	// FileSize is the size of a file in bytes, 0 for 64 MiB; a record that does not fit has a larger one for itself.
	FileSize int64
	// First is the first sequence of a log that is started anew, where the folder has none; 0 for 1.
	First uint64
	// Identity is the log that is expected, as Log.Identity told it; another one, or none, is ErrDamaged. 0 for any.
	Identity uint64
	// Folder is where the files lie; nil for the folder of the operating system that Open names.
	Folder Folder
}

// Report is what Open found.
type Report struct {
	// Created is set where there was no log.
	Created bool
	Files   int
	// First and Last are the sequences of the log; Last is First − 1 where it has no record.
	First, Last uint64
	// CutBytes of a torn tail were cut off CutFile at CutOffset, with CutRecords whole records in them that nobody had
	// been told to be durable; 0 where the log ended well.
	CutFile    string
	CutOffset  int64
	CutBytes   int64
	CutRecords int
}

// Log is a log that is open for appending. One process at a time may have it open: its caller holds the store's lock.
// One goroutine appends; Sync, Read, Drop and the other methods may be called from any at the same time.
type Log struct{}

// Open opens the log in the folder dir, which is created where it is not there, and starts a log where it has none.
//
// It finds the end. What a crash left of records that were not durable is cut off and told (Report). The error is
// ErrDamaged where a record that was durable is wrong or a file is missing, ErrVersion for a log of a newer format.
// Only the last file is read whole here; Read checks what it reads. All that Open finds is durable when it returns.
func Open(dir string, o Options) (*Log, error) { panic("to be built") }

// Report is what Open found.
func (l *Log) Report() Report { panic("to be built") }

// Identity tells this log from every other one; it is never 0.
func (l *Log) Identity() uint64 { panic("to be built") }

// First is the lowest sequence that was not dropped; Last the highest that was appended, First − 1 where there is none.
func (l *Log) First() uint64 { panic("to be built") }

// Last is the highest sequence that was appended, First − 1 where there is none.
func (l *Log) Last() uint64 { panic("to be built") }

// Synced is the highest sequence that is durable.
func (l *Log) Synced() uint64 { panic("to be built") }

// Bytes is what the records of the log take on the disk, all files together, without what is preallocated.
func (l *Log) Bytes() int64 { panic("to be built") }

// Append writes a record of each payload, in one piece, and returns the sequence of the first. They are in the file
// then, not durable: Sync does that. A payload of no bytes is a record like any other.
//
// After an error none of them is in the log. Where it is not ErrBroken, ErrClosed or ErrTooLarge (a full disk), what was written was taken
// back, and Append may be tried again.
func (l *Log) Append(payloads ...[]byte) (first uint64, err error) { panic("to be built") }

// Sync makes durable all that was appended before it was called, and returns the last sequence that is durable. Append
// may go on meanwhile. After an error, always ErrBroken or ErrClosed, nobody knows what of it is on the disk.
func (l *Log) Sync() (synced uint64, err error) { panic("to be built") }

// Read gives the records from a sequence up to Last as it is when Read is called, each checked. A payload is valid
// until the next step. The last step is an error where there is one: ErrGone where from was dropped, ErrDamaged.
// From Last + 1 there is nothing to read; beyond that it is an error.
func (l *Log) Read(from uint64) iter.Seq2[Record, error] { panic("to be built") }

// Drop removes the files whose records all lie before a sequence; never the last file. Those who read them go on.
func (l *Log) Drop(before uint64) error { panic("to be built") }

// Close syncs what was appended and closes the files. Readers of this log (Read) end with ErrClosed.
func (l *Log) Close() error { panic("to be built") }

// Record is one payload of the log.
type Record struct {
	Sequence uint64
	Payload  []byte
}

// Reader reads a log that another process, or another part of this one, may be appending to. It changes nothing and
// keeps no file open between reads. For use by any number of goroutines.
type Reader struct{}

// OpenReader opens the log in dir for reading. fs.ErrNotExist where there is none.
func OpenReader(dir string, o Options) (*Reader, error) { panic("to be built") }

// Identity is that of the log.
func (r *Reader) Identity() uint64 { panic("to be built") }

// First is the lowest sequence that has not been dropped by now.
func (r *Reader) First() (uint64, error) { panic("to be built") }

// Read gives the records from a sequence to the end as it is when the reader gets there; like Log.Read. It may give
// records that are not durable yet, and would be missing after a power cut.
func (r *Reader) Read(from uint64) iter.Seq2[Record, error] { panic("to be built") }
