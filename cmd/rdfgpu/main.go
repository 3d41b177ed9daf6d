// Command rdfgpu loads RDF into a store and answers SPARQL over it.
//
// Exit codes: 0 answered, 1 the query, the update or the data is wrong, or the stores of diff differ, 2 wrong usage, 3 a limit or a cancel, 4 the store is
// damaged or of another format version.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/rdfgpu/rdfgpu"
	"github.com/rdfgpu/rdfgpu/mine"
)

// Exit codes, stable across versions.
const (
	exitAnswered = iota
	exitWrong
	exitUsage
	exitLimit
	exitStore
)

type commands struct {
	Load         loadCommand         `cmd:"" help:"Load RDF files into a store."`
	Compact      compactCommand      `cmd:"" help:"Make a store that was added to one segment again."`
	PlanLoad     planCommand         `cmd:"" name:"plan-load" help:"Estimate what a load will take: memory, disk, time."`
	Query        queryCommand        `cmd:"" help:"Answer a SPARQL query."`
	Explain      explainCommand      `cmd:"" help:"Show how a query is answered."`
	Update       updateCommand       `cmd:"" help:"Change a store, or that of a server, by a SPARQL Update."`
	Watch        watchCommand        `cmd:"" help:"Print what comes and goes in the solutions of a query."`
	Mine         mineCommand         `cmd:"" help:"Find what hangs together: triangles, cliques, motifs, cores, trusses, components."`
	Convert      convertCommand      `cmd:"" help:"Write RDF files in another syntax."`
	Diff         diffCommand         `cmd:"" help:"Tell how two stores differ, as RDF Patch."`
	Dump         dumpCommand         `cmd:"" help:"Write a snapshot as N-Quads, of a running server too."`
	Log          logCommand          `cmd:"" help:"List what was committed."`
	Backup       backupCommand       `cmd:"" help:"Copy a store, also while it is changed; again, only what is new."`
	Restore      restoreCommand      `cmd:"" help:"Make a store of a backup, and check it."`
	Serve        serveCommand        `cmd:"" help:"Serve SPARQL over HTTP, with a workbench in the browser."`
	Health       healthCommand       `cmd:"" help:"Ask a server whether it takes queries."`
	MCP          mcpCommand          `cmd:"" name:"mcp" help:"Let language models use a store, by the Model Context Protocol over standard input and output."`
	Info         infoCommand         `cmd:"" help:"Describe a store, or the GPU."`
	Verify       verifyCommand       `cmd:"" help:"Check every file of a store: checksums and invariants."`
	Generate     generateCommand     `cmd:"" help:"Make a benchmark graph."`
	Bench        benchCommand        `cmd:"" help:"Measure the latency of SPARQL endpoints side by side."`
	BenchUpdates benchUpdatesCommand `cmd:"" name:"bench-updates" help:"Measure how SPARQL endpoints take updates, side by side."`
	Man          manCommand          `cmd:"" help:"Print the manual page."`
	Completion   completionCommand   `cmd:"" help:"Print what completes command lines in a shell."`
	Complete     completeCommand     `cmd:"" hidden:"" passthrough:"" help:"List what the last word of a command line may become."`
	Version      versionCommand      `cmd:"" help:"Tell version, commit, Go version and GPU support."`

	Config      string `placeholder:"FILE" help:"File of settings; flags and the environment come before it (default: ~/.config/rdfgpu/config.toml, else /etc/rdfgpu/config.toml, if there)."`
	ShowVersion bool   `name:"version" help:"Tell the version, as rdfgpu version does."`
}

// environment is what a command may touch of the process, so that tests can run commands without one.
type environment struct {
	ctx    context.Context
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
}

// profiledBytes is every how many bytes an allocation is sampled for /debug/pprof/heap. The runtime keeps the stack of each that differs for
// ever: five minutes of hostile queries, which recur differently deep, left 43 MB of them at Go's own rate.
const profiledBytes = 8 << 20

func main() {
	runtime.MemProfileRate = 0 // unless profiles are served
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(os.Args[1:], &environment{ctx: ctx, stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr}))
}

// run executes one command line and returns the exit code.
func run(args []string, env *environment) int {
	code := -1
	app, err := newApp(env, kong.Exit(func(c int) { code = c }))
	if err != nil {
		fmt.Fprintln(env.stderr, "rdfgpu:", err)
		return exitUsage
	}
	switch {
	case len(args) == 0:
		args = []string{"--help"}
	case args[0] == "--version": // so that it takes the command's flags
		args = append([]string{"version"}, args[1:]...)
	case args[0] == "help": // as of git, go and others
		args = append(args[1:], "--help")
	}
	parsed, err := app.Parse(args)
	if code >= 0 { // --help
		return code
	}
	if err != nil {
		fmt.Fprintf(env.stderr, "rdfgpu: %s\nTry '%s --help'.\n", strings.Replace(err.Error(), `,"" but got`, " but got", 1), parsing(err)) // "" is the default of some
		return exitUsage
	}
	return report(env.stderr, parsed.Run(env))
}

// parsing is the command whose line could not be parsed.
func parsing(err error) string {
	var wrong *kong.ParseError
	if errors.As(err, &wrong) && wrong.Context != nil && wrong.Context.Selected() != nil {
		return "rdfgpu " + wrong.Context.Selected().Name
	}
	return "rdfgpu"
}

// newApp describes the command line to kong.
func newApp(env *environment, options ...kong.Option) (*kong.Kong, error) {
	return kong.New(&commands{}, append(options,
		kong.Name("rdfgpu"),
		kong.Description(description),
		kong.Writers(env.stdout, env.stderr),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true}),
		kong.ValueFormatter(func(v *kong.Value) string { return v.Help }), // variables stand in the manual
		kong.PostBuild(nameVariables),
		kong.Bind(env),
	)...)
}

// report prints an error and returns its exit code.
func report(stderr io.Writer, err error) int {
	if err == nil || errors.Is(err, syscall.EPIPE) {
		return exitAnswered
	}
	if errors.Is(err, errDiffer) { // which the summary says
		return exitWrong
	}
	fmt.Fprintln(stderr, "rdfgpu:", strings.TrimPrefix(err.Error(), "rdfgpu: "))
	var usage usageError
	var refused *refusal
	switch {
	case errors.As(err, &usage), errors.Is(err, mine.ErrSize), errors.Is(err, rdfgpu.ErrMineOptions):
		return exitUsage
	case errors.As(err, &refused) && refused.isLimit(), errors.Is(err, rdfgpu.ErrWriters):
		return exitLimit
	case errors.Is(err, rdfgpu.ErrTimeout), errors.Is(err, rdfgpu.ErrRowLimit), errors.Is(err, rdfgpu.ErrMemoryLimit),
		errors.Is(err, rdfgpu.ErrSpillLimit), errors.Is(err, rdfgpu.ErrTooMany), errors.Is(err, mine.ErrMemory), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return exitLimit
	case errors.Is(err, rdfgpu.ErrDamaged), errors.Is(err, rdfgpu.ErrVersion):
		return exitStore
	}
	return exitWrong
}

// usageError is a mistake in the command line that kong cannot see.
type usageError string

func (e usageError) Error() string { return string(e) }

const description = `An RDF engine that answers SPARQL by worst-case-optimal subgraph matching, on an NVIDIA GPU or on the CPU.

Examples:
  rdfgpu load -o people.store people.nt.gz
  rdfgpu query people.store 'SELECT ?s WHERE { ?s a <http://xmlns.com/foaf/0.1/Person> } LIMIT 10'
  rdfgpu explain people.store -f query.rq --analyze
  rdfgpu update people.store 'INSERT DATA { <http://e/me> a <http://xmlns.com/foaf/0.1/Person> }'
  rdfgpu serve people.store

Every flag can also be set in the environment (serve --timeout: RDFGPU_SERVE_TIMEOUT) or in a file (--config): see rdfgpu man.`
