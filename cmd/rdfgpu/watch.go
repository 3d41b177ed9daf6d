package main

import (
	"errors"
	"time"

	"github.com/rdfgpu/rdfgpu"
)

type watchCommand struct {
	Store string `arg:"" help:"Address of a server, or folder of a store."`
	queryText
	Semantics string        `enum:"homomorphism,isomorphism,edge-isomorphism,induced" default:"homomorphism" help:"What a solution of a basic graph pattern is: homomorphism, isomorphism, edge-isomorphism or induced."`
	Format    string        `enum:"text,json,tsv" default:"text" help:"text, json (a line for each event) or tsv."`
	From      *uint64       `placeholder:"SEQUENCE" help:"Go on after this commit, instead of beginning with all solutions."`
	Snapshot  bool          `default:"true" negatable:"" help:"Begin with all solutions."`
	Anew      bool          `help:"Where the log does not reach back, go on with all solutions, their rows with = instead of +; else that ends it."`
	Events    int           `placeholder:"N" help:"End after so many events that have rows, the first of all solutions included."`
	Silence   time.Duration `default:"90s" help:"Connect again where a server sends nothing for so long; it should send something every 15 seconds."`
	GiveUp    time.Duration `placeholder:"DURATION" help:"End where a server that was heard before is not heard again for so long (default: never)."`
	limits
	access
}

// Help is shown by rdfgpu watch --help.
func (*watchCommand) Help() string {
	return `Prints the solutions of a SELECT, and then, commit by commit, those that came (+) and those that went (-). A solution that is there
twice is printed twice. A line with # tells the commit.

Examples:
  rdfgpu watch http://127.0.0.1:7878/ 'SELECT ?a ?b { ?a <http://e/follows> ?b . ?b <http://e/follows> ?a }'
  rdfgpu watch http://127.0.0.1:7878/people/ -f mutual.rq --no-snapshot --format tsv
  rdfgpu watch http://127.0.0.1:7878/ -f mutual.rq --from 4711 --format json >> changes.jsonl
  rdfgpu watch my.store 'SELECT ?s { ?s a <http://e/Alarm> }' --no-snapshot --events 1

A server that goes away is asked again, at longer and longer intervals, and goes on after the last commit that was told: nothing is left out,
nothing comes twice. Of a folder, which a server may have open, the log is looked at every half a second.

Exit codes: 0 interrupted, or all --events were printed; 1 the query is wrong, the log does not reach back, or the server cannot be reached or
refuses; 2 wrong usage; 3 a limit (memory, time, rows); 4 the store is damaged.`
}

// errEnough ends the watching: all events were printed that were asked for.
var errEnough = errors.New("enough events")

// Run prints changes until it is interrupted.
func (c *watchCommand) Run(env *environment) error {
	text, err := c.queryText.read(env)
	if err != nil {
		return err
	}
	if c.Events < 0 || c.Silence <= 0 || c.GiveUp < 0 {
		return usageError("--events, --silence and --give-up take no negative values, --silence more than 0")
	}
	out := newChangePrinter(env.stdout, c.Format, c.Events)
	follow := c.followFolder
	if isAddress(c.Store) {
		follow = c.followServer
	}
	err = follow(env, text, out)
	if errors.Is(err, errEnough) || env.ctx.Err() != nil {
		return nil
	}
	return nameFile(err, c.File)
}

// isGone reports that the log does not have where the watching is to go on.
func isGone(err error) bool {
	return errors.Is(err, rdfgpu.ErrLogGone) || errors.Is(err, rdfgpu.ErrLogBeyond)
}
