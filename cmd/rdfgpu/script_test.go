package main

import (
	"context"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"rdfgpu": func() {
			os.Exit(run(os.Args[1:], &environment{ctx: context.Background(), stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr}))
		},
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:  "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exit": exitCode, "flip": flip},
	})
}

// exitCode is "exit N COMMAND...": the command must end with exit code N; standard output and error can be matched
// afterwards as after exec.
func exitCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exit N command [args...]")
	}
	var code int
	err := ts.Exec(args[1], args[2:]...)
	if exit, ok := err.(interface{ ExitCode() int }); ok {
		code = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if want := args[0]; want != string(rune('0'+code)) {
		ts.Fatalf("exit code %d, want %s", code, want)
	}
}

// flip is "flip FILE": changes the byte in the middle of a file.
func flip(ts *testscript.TestScript, neg bool, args []string) {
	name := ts.MkAbs(args[0])
	data, err := os.ReadFile(name)
	ts.Check(err)
	data[len(data)/2] ^= 0x40
	ts.Check(os.WriteFile(name, data, 0o666))
}
