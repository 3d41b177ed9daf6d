package main

import (
	_ "embed"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// The scripts ask the program itself (rdfgpu complete WORDS…), so that they never fall behind it. Where it offers nothing, they offer
// files.
var (
	//go:embed completion/rdfgpu.bash
	bashScript string
	//go:embed completion/rdfgpu.zsh
	zshScript string
	//go:embed completion/rdfgpu.fish
	fishScript string
)

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"The shell: bash, zsh or fish."`
}

// Help is shown by rdfgpu completion --help.
func (*completionCommand) Help() string {
	return `Examples:
  source <(rdfgpu completion bash)                                        # this shell; in ~/.bashrc: every one
  rdfgpu completion bash > /etc/bash_completion.d/rdfgpu                  # every user's
  rdfgpu completion zsh > "${fpath[1]}/_rdfgpu"
  rdfgpu completion fish > ~/.config/fish/completions/rdfgpu.fish`
}

// Run prints the script.
func (c *completionCommand) Run(env *environment) error {
	scripts := map[string]string{"bash": bashScript, "zsh": zshScript, "fish": fishScript}
	_, err := io.WriteString(env.stdout, scripts[c.Shell])
	return err
}

type completeCommand struct {
	Words []string `arg:"" optional:"" help:"The command line behind the program's name, up to the word that is being typed."`
}

// Run prints a line for each candidate: the word, a tab and what it means.
func (c *completeCommand) Run(env *environment, ctx *kong.Context) error {
	words := c.Words
	if len(words) == 0 {
		words = []string{""}
	}
	for _, found := range candidates(ctx.Model.Node, words) {
		if _, err := fmt.Fprintf(env.stdout, "%s\t%s\n", found.word, found.help); err != nil {
			return err
		}
	}
	return nil
}

// candidate is what a word may become.
type candidate struct{ word, help string }

// line is how far a command line has been read.
type line struct {
	command *kong.Node
	flag    *kong.Flag // whose value comes next; nil where none does
	words   int        // positional arguments so far
	plain   bool       // behind "--"
}

// candidates are the words that the last one may become; none where a file, or anything, is expected.
func candidates(app *kong.Node, words []string) []candidate {
	at, last := &line{command: app}, len(words)-1
	for _, w := range words[:last] {
		at.read(w)
	}
	word := words[last]
	if word == "=" { // bash splits there
		word = ""
	}
	return slices.DeleteFunc(at.possible(word), func(c candidate) bool { return !strings.HasPrefix(c.word, word) })
}

// read takes in a word that is whole.
func (l *line) read(word string) {
	switch {
	case word == "=" && l.flag != nil:
	case l.flag != nil:
		l.flag = nil
	case word == "--":
		l.plain = true
	case strings.HasPrefix(word, "-") && len(word) > 1 && !l.plain:
		l.readFlag(word)
	case len(l.command.Children) > 0:
		for _, child := range l.command.Children {
			if child.Name == word {
				l.command = child
				return
			}
		}
	default:
		l.words++
	}
}

// readFlag takes in a flag; where it has no value yet and needs one, that comes next.
func (l *line) readFlag(word string) {
	name, _, whole := strings.Cut(word, "=")
	for _, f := range l.flags() {
		long := name == "--"+f.Name
		short := f.Short != 0 && !strings.HasPrefix(name, "--") && strings.HasSuffix(name, string(f.Short))
		if (long || short) && !whole && !f.IsBool() {
			l.flag = f
		}
	}
}

// flags are those that may stand here.
func (l *line) flags() []*kong.Flag {
	flags := l.command.Flags
	for parent := l.command.Parent; parent != nil; parent = parent.Parent {
		flags = append(slices.Clip(flags), parent.Flags...)
	}
	return flags
}

// possible are the words that may come next, whatever they begin with.
func (l *line) possible(word string) (found []candidate) {
	switch {
	case l.flag != nil:
		return values(l.flag.Value, "")
	case strings.HasPrefix(word, "--") && strings.Contains(word, "=") && !l.plain:
		name, _, _ := strings.Cut(word, "=")
		for _, f := range l.flags() {
			if name == "--"+f.Name {
				return values(f.Value, name+"=")
			}
		}
	case strings.HasPrefix(word, "-") && !l.plain:
		for _, f := range l.flags() {
			found = append(found, candidate{"--" + f.Name, f.Help})
			if f.Negated || f.Tag.Negatable != "" {
				found = append(found, candidate{"--no-" + f.Name, "Not: " + f.Help})
			}
		}
	case len(l.command.Children) > 0:
		for _, child := range l.command.Children {
			if !child.Hidden {
				found = append(found, candidate{child.Name, child.Help})
			}
		}
	case len(l.command.Positional) > 0:
		return values(l.positional(), "")
	}
	return found
}

// positional is the argument that comes next: the last one of a command may come again where it is a list.
func (l *line) positional() *kong.Value {
	list := l.command.Positional
	if l.words < len(list) {
		return list[l.words]
	}
	if last := list[len(list)-1]; last.Target.Kind() == reflect.Slice {
		return last
	}
	return &kong.Value{}
}

// values are those that a flag or an argument may have, where they can be listed.
func values(v *kong.Value, prefix string) (found []candidate) {
	for value := range strings.SplitSeq(v.Enum, ",") {
		if value != "" {
			found = append(found, candidate{prefix + value, ""})
		}
	}
	return found
}
