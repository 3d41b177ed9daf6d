package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rdfgpu/rdfgpu/internal/hostile"
)

// makeStore returns the folder of a store and makes it where it is one of ours and missing.
func (s *settings) makeStore(ctx context.Context, name string) (string, error) {
	if _, dir, ok := strings.Cut(name, "="); ok {
		return dir, nil
	}
	dir := filepath.Join(s.Folder, name+".store")
	if _, err := os.Stat(filepath.Join(dir, "manifest.json")); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(s.Folder, 0o755); err != nil {
		return "", err
	}
	switch name {
	case "nomisma":
		return dir, s.call(ctx, "load", "-q", "-o", dir, filepath.Join(s.Data, "nomisma", "nomisma.nt.zst"))
	case "rmat":
		return dir, s.call(ctx, "generate", "rmat", "--scale", "16", "--edges", "1000000", "--predicates", "16", "--classes", "8", "--load", dir)
	case "tiny":
		file := filepath.Join(s.Folder, "tiny.trig")
		if err := os.WriteFile(file, []byte(hostile.Tiny), 0o644); err != nil {
			return "", err
		}
		return dir, s.call(ctx, "load", "-q", "-o", dir, file)
	}
	return "", fmt.Errorf("%q is no store: expected nomisma, rmat, tiny or NAME=FOLDER", name)
}

// call runs a command of the program to its end.
func (s *settings) call(ctx context.Context, args ...string) error {
	if out, err := exec.CommandContext(ctx, s.Rdfgpu, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w: %s", s.Rdfgpu, strings.Join(args, " "), err, bytes.TrimSpace(out))
	}
	return nil
}
