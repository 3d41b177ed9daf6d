// Package python_test runs the tests of the Python package: `make python` prepares what they need.
package python_test

import (
	"os"
	"os/exec"
	"path/filepath"
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
	if exec.Command(python, "-c", "import rdfgpu, pytest, mypy").Run() != nil {
		t.Skip("python/.venv has no rdfgpu, or not what its tests need: `make python` puts it there")
	}
	command := exec.Command(python, arguments...)
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("python %v: %v\n%s", arguments, err, out)
	} else {
		t.Logf("%s", out)
	}
}

func TestThePackage(t *testing.T) {
	run(t, "-I", "-X", "faulthandler", "-m", "pytest", "-q", "--import-mode=importlib", "tests")
}

func TestItsTypes(t *testing.T) { run(t, "-I", "-m", "mypy") }
