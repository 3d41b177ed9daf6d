// Package python_test runs the tests of the Python package: `make python` prepares what they need.
package python_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// environment is the interpreter that has the package and what its tests need.
const environment = ".venv/bin/python"

// run runs a module of Python.
func run(t *testing.T, arguments ...string) {
	t.Helper()
	python, err := filepath.Abs(environment)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(python); err != nil {
		t.Skip("there is no python/.venv: `make python` makes it and runs these tests")
	}
	library, err := exec.Command(python, "-I", "-c", "import pathlib, pytest, mypy, rdfgpu; print(pathlib.Path(rdfgpu.__file__).with_name('librdfgpu.so'), end='')").Output()
	if err != nil {
		t.Skip("python/.venv has no rdfgpu, or not what its tests need: `make python` puts it there")
	}
	if source := newerSource(t, string(library)); source != "" {
		t.Skipf("the library in python/.venv is older than %s: `make python` makes it anew", source)
	}
	command := exec.Command(python, arguments...)
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("python %v: %v\n%s", arguments, err, out)
	} else {
		t.Logf("%s", out)
	}
}

// newerSource is a source of Go that is newer than the library, "" where there is none.
func newerSource(t *testing.T, library string) (newer string) {
	t.Helper()
	made, err := os.Stat(library)
	if err != nil {
		t.Skipf("python/.venv has no library: %v; `make python` puts it there", err)
	}
	err = filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (name == "node_modules" || name == "testdata" || len(name) > 2 && name[0] == '.'):
			return filepath.SkipDir
		case filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		info, err := entry.Info()
		if err == nil && info.ModTime().After(made.ModTime()) {
			newer = path
			err = filepath.SkipAll
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return newer
}

func TestThePackage(t *testing.T) {
	run(t, "-I", "-X", "faulthandler", "-m", "pytest", "-q", "--import-mode=importlib", "tests")
}

func TestItsTypes(t *testing.T) { run(t, "-I", "-m", "mypy") }
