package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rdfgpu/rdfgpu"
	"github.com/rdfgpu/rdfgpu/internal/results"
)

// changeEvent is what a standing query is told at once.
type changeEvent struct {
	// name is snapshot, change or progress; anew tells that what was told before is to be forgotten.
	name     string
	anew     bool
	id       string
	sequence uint64
	way      string
	// added and removed have a row for each time that a solution came or went.
	variables      []string
	added, removed [][]rdfgpu.Term
}

// The names of events, as servers send them.
const (
	snapshotEvent = "snapshot"
	changedEvent  = "change"
	progressEvent = "progress"
	endEvent      = "end"
)

// changePrinter prints events in one of the formats of rdfgpu watch.
type changePrinter struct {
	out    *bufio.Writer
	format string
	// left is how many events with rows are still to be printed; less than 0 means all.
	left   int
	headed bool
}

func newChangePrinter(out io.Writer, format string, most int) *changePrinter {
	if most == 0 {
		most = -1
	}
	return &changePrinter{out: bufio.NewWriterSize(out, 1<<16), format: format, left: most}
}

// print prints an event; the error is errEnough after the last one.
func (p *changePrinter) print(e *changeEvent) error {
	switch {
	case p.format == "json":
		p.line(e)
	case e.name == progressEvent:
		return nil
	case p.format == "tsv":
		p.table(e)
	default:
		p.text(e)
	}
	if err := p.out.Flush(); err != nil {
		return err
	}
	if e.name != progressEvent && p.left > 0 {
		if p.left--; p.left == 0 {
			return errEnough
		}
	}
	return nil
}

// line prints an event as a line of JSON. Errors of the output stay with it until Flush.
func (p *changePrinter) line(e *changeEvent) {
	id, _ := json.Marshal(e.id)
	fmt.Fprintf(p.out, `{"event":%q,"id":%s,"sequence":%d`, e.name, id, e.sequence)
	if e.name != progressEvent {
		fmt.Fprintf(p.out, `,"way":%q,"added":`, e.way)
		_ = results.WriteBindings(p.out, e.variables, slices.Values(e.added))
		fmt.Fprint(p.out, `,"removed":`)
		_ = results.WriteBindings(p.out, e.variables, slices.Values(e.removed))
	}
	fmt.Fprintln(p.out, "}")
}

// table prints an event as rows of a table: its commit, what happened, and the terms.
func (p *changePrinter) table(e *changeEvent) {
	if !p.headed {
		p.headed = true
		fmt.Fprintln(p.out, strings.Join(append([]string{"?sequence", "?change"}, marked(e.variables)...), "\t"))
	}
	p.rows(e, fmt.Sprint(e.sequence, "\t"), "\t")
}

// text prints an event for people.
func (p *changePrinter) text(e *changeEvent) {
	if p.headed {
		fmt.Fprintf(p.out, "# commit %d\n", e.sequence)
	} else {
		p.headed = true
		fmt.Fprintf(p.out, "# commit %d: %s\n", e.sequence, strings.Join(marked(e.variables), " "))
	}
	p.rows(e, "", " ")
}

// marked are variables with their question marks.
func marked(variables []string) (names []string) {
	for _, v := range variables {
		names = append(names, "?"+v)
	}
	return names
}

func (p *changePrinter) rows(e *changeEvent, before, after string) {
	sign := "+"
	if e.anew {
		sign = "="
	}
	p.signed(before+sign+after, e.added)
	p.signed(before+"-"+after, e.removed)
}

// signed prints rows behind what tells that they came or went.
func (p *changePrinter) signed(before string, rows [][]rdfgpu.Term) {
	for _, row := range rows {
		p.out.WriteString(before)
		for i, term := range row {
			if i > 0 {
				p.out.WriteByte('\t')
			}
			p.out.Write(results.AppendTSV(p.out.AvailableBuffer(), term))
		}
		p.out.WriteByte('\n')
	}
}
