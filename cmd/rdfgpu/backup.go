package main

import (
	"fmt"
	"time"

	"github.com/rdfgpu/rdfgpu"
)

// copying are the flags of backup and restore.
type copying struct {
	Copy  bool `help:"Copy every file, also where both folders lie on one file system and could share files."`
	Quiet bool `short:"q" help:"No progress, no summary."`
	JSON  bool `name:"json" help:"Summary as JSON."`
}

type backupCommand struct {
	Store string `arg:"" help:"Folder of the store; a server may have it open, and change it."`
	To    string `arg:"" help:"Folder of the backup: a new one, or that of an earlier backup of the store."`
	copying
}

// Help is shown by rdfgpu backup --help.
func (*backupCommand) Help() string {
	return `Copies the store as it is at one moment: its files, and the commits that are not in them yet. Into the folder of an earlier backup
only what is new is copied. Files of a store are never changed, so on one file system the backup shares them with the store and takes
no room; --copy keeps the two apart. A backup can be queried, verified and dumped, but not changed.

Examples:
  rdfgpu backup my.store /mnt/backup/my.store
  rdfgpu verify /mnt/backup/my.store
  rdfgpu restore /mnt/backup/my.store new.store`
}

// Run backs the store up.
func (c *backupCommand) Run(env *environment) error {
	return c.run(env, func(options rdfgpu.BackupOptions) (rdfgpu.BackupReport, error) {
		return rdfgpu.Backup(env.ctx, c.Store, c.To, options)
	}, c.To)
}

type restoreCommand struct {
	From  string `arg:"" help:"Folder of the backup."`
	Store string `arg:"" help:"Folder of the store that is made of it; it must not be there yet."`
	copying
}

// Help is shown by rdfgpu restore --help.
func (*restoreCommand) Help() string {
	return `Makes a store of a backup, and checks every file and commit of it before it gets its name.

Example:
  rdfgpu restore /mnt/backup/my.store new.store`
}

// Run restores a backup.
func (c *restoreCommand) Run(env *environment) error {
	return c.run(env, func(options rdfgpu.BackupOptions) (rdfgpu.BackupReport, error) {
		return rdfgpu.Restore(env.ctx, c.From, c.Store, options)
	}, c.Store)
}

func (c *copying) run(env *environment, do func(rdfgpu.BackupOptions) (rdfgpu.BackupReport, error), made string) error {
	progress := newProgress(env.stderr, c.Quiet)
	report, err := do(rdfgpu.BackupOptions{Copy: c.Copy, Progress: func(copied, total int64) {
		progress.show(copyProgress{copied, total, progress.start})
	}})
	progress.done()
	if err != nil {
		return err
	}
	return printReport(env, copied{report, made}, c.JSON, c.Quiet)
}

// copyProgress is how far copying is.
type copyProgress struct {
	copied, total int64
	began         time.Time
}

// String gives it in one line.
func (p copyProgress) String() string {
	return fmt.Sprintf("copy: %.1f of at most %.1f MB, %.1f MB/s", float64(p.copied)/1e6, float64(p.total)/1e6,
		float64(p.copied)/1e6/max(time.Since(p.began).Seconds(), 1e-9))
}

// copied prints the report of a backup.
type copied struct {
	rdfgpu.BackupReport
	made string
}

// String sums it up in a line.
func (c copied) String() string {
	return fmt.Sprintf("%s: sequence %d, %s of %.1f MB, new %.1f MB and %s, %.2f s", c.made, c.Sequence, counted(uint64(c.Segments), "segment"),
		float64(c.Bytes)/1e6, float64(c.Copied)/1e6, counted(c.Commits, "commit"), c.Elapsed.Seconds())
}
