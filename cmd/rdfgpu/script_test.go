package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"regexp"
	"strings"
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
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exit": exitCode, "flip": flip, "serve": serve},
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

var servedAt = regexp.MustCompile(`msg=serving url=(\S+)`)

// serve is "serve STORE [FLAGS...]": serves a store until the script ends; $URL is its address.
func serve(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: serve STORE [flags...]")
	}
	for i, arg := range args {
		if _, err := os.Stat(ts.MkAbs(arg)); err == nil {
			args[i] = ts.MkAbs(arg)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	log, out := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		code := run(append([]string{"serve", "--addr", "127.0.0.1:0"}, args...), &environment{ctx: ctx, stdin: strings.NewReader(""), stdout: io.Discard, stderr: out})
		out.Close()
		ended <- code
	}()
	var said strings.Builder
	lines := bufio.NewScanner(io.TeeReader(log, &said))
	url := ""
	for url == "" && lines.Scan() {
		if m := servedAt.FindStringSubmatch(lines.Text()); m != nil {
			url = m[1]
		}
	}
	go io.Copy(io.Discard, log)
	if url == "" {
		cancel()
		ts.Fatalf("the server ends with %d: %s", <-ended, said.String())
	}
	ts.Setenv("URL", url)
	ts.Defer(func() {
		cancel()
		<-ended
	})
}
