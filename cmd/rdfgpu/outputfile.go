package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/klauspost/pgzip"
)

// outputFile is what a dump or a document is written to: standard output, or a file that takes its name once it is whole.
type outputFile struct {
	*bufio.Writer
	packer io.WriteCloser // nil where it is not compressed
	file   *os.File       // nil for standard output
	name   string
}

// outputName is the name of a file to write; "" is standard output, which - names too.
type outputName string

// UnmarshalText takes the name from a flag.
func (o *outputName) UnmarshalText(text []byte) error {
	*o = outputName(text)
	if *o == "-" {
		*o = ""
	}
	return nil
}

// packing is the flag of commands that may pack what they write.
type packing struct {
	Compress string `enum:"none,gz,zst," default:"" help:"Compression: none, gz or zst (default: by the file's name)."`
}

// create makes what is written to: a file of that name, or standard output where there is none.
func (c *packing) create(env *environment, name outputName) (*outputFile, error) {
	output := string(name)
	d := &outputFile{name: output}
	sink := env.stdout
	if output != "" {
		if at, err := os.Stat(output); err == nil && at.IsDir() {
			return nil, fmt.Errorf("%s is a folder, and what is written is one file", output)
		}
		file, err := os.Create(output + ".part")
		if err != nil {
			return nil, err
		}
		d.file, sink = file, file
	}
	switch {
	case c.Compress == "gz" || c.Compress == "" && strings.HasSuffix(output, ".gz"):
		d.packer = pgzip.NewWriter(sink)
	case c.Compress == "zst" || c.Compress == "" && strings.HasSuffix(output, ".zst"):
		packer, err := zstd.NewWriter(sink)
		if err != nil {
			return nil, d.end(err)
		}
		d.packer = packer
	}
	if d.packer != nil {
		sink = d.packer
	}
	d.Writer = bufio.NewWriterSize(sink, 1<<20)
	return d, nil
}

// end finishes the file, or removes it where writing failed.
func (d *outputFile) end(err error) error {
	if err == nil {
		err = d.Flush()
	}
	if d.packer != nil {
		err = firstError(err, d.packer.Close())
	}
	if d.file == nil {
		return err
	}
	if err == nil {
		err = d.file.Sync()
	}
	err = firstError(err, d.file.Close())
	if err == nil {
		err = os.Rename(d.file.Name(), d.name)
	}
	if err == nil {
		return nil
	}
	return errors.Join(err, os.Remove(d.file.Name()))
}

// summary is the environment that a summary is printed to: standard error where standard output has what was made.
func (e *environment) summary(output outputName) *environment {
	if output != "" {
		return e
	}
	summary := *e
	summary.stdout = e.stderr
	return &summary
}
