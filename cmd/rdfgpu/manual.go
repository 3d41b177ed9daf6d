package main

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/rdfgpu/rdfgpu"
)

type manCommand struct{}

// Help is shown by rdfgpu man --help.
func (*manCommand) Help() string {
	return `Examples:
  rdfgpu man | man -l -
  rdfgpu man > /usr/local/share/man/man1/rdfgpu.1`
}

// Run prints the page in roff, from the same descriptions as --help.
func (*manCommand) Run(env *environment, ctx *kong.Context) error {
	m := manual{bufio.NewWriter(env.stdout)}
	m.page(ctx.Model)
	return m.Flush()
}

// manual writes a page in the macros of man(7). Errors of the output stay with the writer until Flush.
type manual struct{ *bufio.Writer }

// environmentSection, filesSection and statusSection are what --help does not tell.
const (
	environmentSection = `Every flag can be set by a variable: RDFGPU_, the command, an underscore and the flag, in capitals and with underscores for
hyphens, as RDFGPU_SERVE_MAX_CONNECTIONS=4096 or RDFGPU_SERVE_WRITABLE=true. The elements of lists are separated by commas. RDFGPU_CONFIG
is --config, and RDFGPU_TOKEN the token of every command that asks a server. A flag on the command line comes before the variable, the
variable before the file of settings, the file before the default.`
	filesSection = `The file of settings is in TOML: a table for each command, in it a key for each flag, as --help names it.
--config names the file; else it is the first of those above that is there. Commands and flags that do not exist are errors.`
	filesExample = `[serve]
addr = "0.0.0.0:7878"
timeout = "20s"
max-memory = "8GiB"
writable = true
cors = ["https://a.example", "https://b.example"]

[query]
format = "json"`
	statusSection = `0 answered; of diff: the same. 1 the query, the update or the data is wrong; of diff: they differ. 2 wrong usage. 3 a limit or a
cancel. 4 the store is damaged or of another version.`
)

func (m manual) page(app *kong.Application) {
	m.line(`.TH RDFGPU 1 "" "%s" "User Commands"`, roff(rdfgpu.Version()))
	about, examples, _ := strings.Cut(app.Help, "\n\nExamples:\n")
	examples, _, _ = strings.Cut(examples, "\n\n")
	m.section("NAME")
	m.line(`rdfgpu \- load RDF and answer SPARQL over it`)
	m.section("SYNOPSIS")
	m.line(`.B rdfgpu`)
	m.line(`.I command`)
	m.line(`[\fIflags\fR] [\fIarguments\fR]`)
	m.section("DESCRIPTION")
	m.text(about)
	m.section("EXAMPLES")
	m.verbatim(examples)
	m.section("OPTIONS")
	m.flags(app.Flags)
	m.section("COMMANDS")
	for _, c := range app.Children {
		if !c.Hidden {
			m.command(c)
		}
	}
	m.section("ENVIRONMENT")
	m.text(environmentSection)
	m.section("FILES")
	for _, f := range []string{"~/.config/rdfgpu/config.toml", "/etc/rdfgpu/config.toml"} {
		m.line(".I %s", f)
		m.line(".br")
	}
	m.text(filesSection)
	m.verbatim(filesExample)
	m.section("EXIT STATUS")
	m.text(statusSection)
}

func (m manual) command(c *kong.Node) {
	m.line(".SS rdfgpu %s", roff(c.Summary()))
	m.text(c.Help)
	for _, p := range c.Positional {
		m.item(p.Summary(), p.Help, "")
	}
	m.flags(c.Flags)
	text, examples, _ := strings.Cut(c.Detail, "Examples:\n")
	if text = strings.TrimSpace(text); text != "" {
		m.line(".PP")
		m.text(text)
	}
	if examples != "" {
		examples, text, _ = strings.Cut(examples, "\n\n")
		m.verbatim(examples)
		m.text(text)
	}
}

func (m manual) flags(flags []*kong.Flag) {
	for _, f := range flags {
		if f.Hidden || f.Name == "help" {
			continue
		}
		name := "--" + f.Name
		if f.Tag.Negatable != "" {
			name = "--[no-]" + f.Name
		}
		if f.Short != 0 {
			name = "-" + string(f.Short) + ", " + name
		}
		argument := ""
		if !f.IsBool() {
			argument = f.FormatPlaceHolder()
		}
		m.item(name, f.Help, argument)
	}
}

// item describes a flag or an argument.
func (m manual) item(name, help, argument string) {
	m.line(".TP")
	if argument != "" {
		argument = `=\fI` + roff(argument) + `\fR`
	}
	m.line(`\fB%s\fR%s`, roff(name), argument)
	m.text(help)
}

func (m manual) section(name string) { m.line(".SH %s", name) }

// text writes paragraphs.
func (m manual) text(text string) {
	for i, paragraph := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if i > 0 {
			m.line(".PP")
		}
		for l := range strings.SplitSeq(paragraph, "\n") {
			m.line("%s", roff(l))
		}
	}
}

// verbatim writes lines as they are.
func (m manual) verbatim(text string) {
	m.line(".PP\n.RS 4\n.nf")
	for l := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		m.line("%s", roff(strings.TrimPrefix(l, "  ")))
	}
	m.line(".fi\n.RE")
}

func (m manual) line(format string, args ...any) { fmt.Fprintf(m, format+"\n", args...) }

// roff escapes what roff would take for its own.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}
