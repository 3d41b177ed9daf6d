package webhook

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/rdfgpu/rdfgpu/internal/section"
)

// ErrFile: a file of a folder is no record.
var ErrFile = errors.New("this file is no webhook")

// Files of records, and those that are being written, end so.
const recordSuffix, temporary = ".json", ".tmp"

// recordVersion is that of the files.
const recordVersion = 1

// validID is what an ID may be, which names a file.
var validID = regexp.MustCompile(`^[a-z0-9-]{1,64}$`)

// Folder keeps records, each in a file of its own that nobody else may read: they have secrets. Each record is written by one goroutine at a time.
type Folder struct {
	path string
	// Disk is where the files are written; nil is the system's.
	Disk *section.Disk
}

// OpenFolder makes a folder where there is none. Nobody else may use it at the same time.
func OpenFolder(path string) (*Folder, error) {
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("webhook: %w", err)
	}
	return &Folder{path: path}, nil
}

// kept is a record in its file.
type kept struct {
	Version int `json:"version"`
	*Record
}

// Load reads all records. The error wraps ErrFile where a file has none that this version can read, and names the file.
func (f *Folder) Load() (records []*Record, err error) {
	entries, err := os.ReadDir(f.path)
	if err != nil {
		return nil, fmt.Errorf("webhook: %w", err)
	}
	for _, e := range entries {
		path := filepath.Join(f.path, e.Name())
		switch {
		case strings.HasSuffix(e.Name(), temporary):
			if err := f.Disk.Remove(path); err != nil { // of a process that was killed
				return nil, fmt.Errorf("webhook: %w", err)
			}
		case strings.HasSuffix(e.Name(), recordSuffix):
			r, err := readRecord(path)
			if err != nil {
				return nil, err
			}
			records = append(records, r)
		}
	}
	return records, nil
}

func readRecord(path string) (*Record, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("webhook: %w", err)
	}
	r, err := decode(text)
	if err == nil && r.ID+recordSuffix != filepath.Base(path) {
		err = errors.New("it has another id")
	}
	if err != nil {
		return nil, fmt.Errorf("webhook: %s: %w: %v", path, ErrFile, err)
	}
	return r, nil
}

// decode reads the text of a file.
func decode(text []byte) (*Record, error) {
	k := kept{Record: &Record{}}
	if err := json.Unmarshal(text, &k); err != nil {
		return nil, err
	}
	switch {
	case k.Version != recordVersion:
		return nil, fmt.Errorf("its version is %d, expected %d", k.Version, recordVersion)
	case !validID.MatchString(k.ID) || k.URL == "" || k.Secret == nil:
		return nil, errors.New("it lacks an id, an address or a secret")
	case k.Pending != nil && (k.Pending.Number == 0 || k.Pending.Event == "" || k.Pending.Body == nil):
		return nil, errors.New("it has half a message")
	}
	return k.Record, nil
}

// Save writes a record, whole or not at all; once it returns, a power cut does not lose it.
func (f *Folder) Save(r *Record) error {
	text, err := json.Marshal(kept{recordVersion, r})
	if err != nil {
		return fmt.Errorf("webhook: %w", err)
	}
	path := f.file(r.ID)
	if err := f.Disk.WriteFile(path+temporary, append(text, '\n'), 0o600); err != nil {
		return fmt.Errorf("webhook: %w", err)
	}
	if err = f.Disk.Rename(path+temporary, path); err == nil {
		err = f.Disk.SyncFolder(f.path)
	}
	if err != nil {
		return fmt.Errorf("webhook: %w", errors.Join(err, remove(f.Disk, path+temporary)))
	}
	return nil
}

// Remove removes a record.
func (f *Folder) Remove(id string) error {
	err := remove(f.Disk, f.file(id))
	if err == nil {
		err = f.Disk.SyncFolder(f.path)
	}
	if err != nil {
		return fmt.Errorf("webhook: %w", err)
	}
	return nil
}

func (f *Folder) file(id string) string { return filepath.Join(f.path, id+recordSuffix) }

// remove removes a file that may be gone.
func remove(disk *section.Disk, path string) error {
	if err := disk.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
