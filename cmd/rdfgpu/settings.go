package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/alecthomas/kong"
)

// Flags get their values from the command line, else from the environment, else from the file of settings, else by default.

// nameVariables gives every flag its variable of the environment, which comes before those that the flag has already.
func nameVariables(app *kong.Kong) error {
	for _, command := range append(app.Model.Children, app.Model.Node) {
		for _, f := range command.Flags {
			if inCommandLineOnly(f) {
				continue
			}
			f.Envs = append([]string{variable(command, f)}, f.Envs...)
			f.Tag.Envs = f.Envs
		}
	}
	return nil
}

// inCommandLineOnly reports flags that say what to do instead of how.
func inCommandLineOnly(f *kong.Flag) bool { return f.Name == "help" || f.Name == "version" }

// variable is RDFGPU_COMMAND_FLAG, or RDFGPU_FLAG of a flag that all commands have.
func variable(command *kong.Node, f *kong.Flag) string {
	return variablePrefix(command) + upper(f.Name)
}

// variablePrefix is what the variables of a command's flags begin with.
func variablePrefix(command *kong.Node) string {
	if command.Type == kong.CommandNode {
		return "RDFGPU_" + upper(command.Name) + "_"
	}
	return "RDFGPU_"
}

func upper(name string) string { return strings.ToUpper(strings.ReplaceAll(name, "-", "_")) }

// BeforeResolve reads the file of settings; kong calls it before flags that have no value look for one.
func (c *commands) BeforeResolve(ctx *kong.Context) error {
	tellUnknownVariables(ctx)
	candidates, asked := settingsFiles(), false
	for _, f := range ctx.Model.Flags {
		if name, _ := ctx.FlagValue(f).(string); f.Name == "config" && name != "" {
			candidates, asked = []string{name}, true
		}
	}
	for _, file := range candidates {
		s, err := readSettings(file, ctx.Model)
		if errors.Is(err, fs.ErrNotExist) && !asked {
			continue
		}
		if err == nil {
			ctx.AddResolver(s)
		}
		return err
	}
	return nil
}

// tellUnknownVariables warns of variables that look like flags of the command and are none. They are no error: a cluster may have made them for a
// service of such a name (RDFGPU_SERVE_PORT).
func tellUnknownVariables(ctx *kong.Context) {
	selected := ctx.Selected()
	if selected == nil {
		return
	}
	known := map[string]bool{}
	for _, command := range append(ctx.Model.Children, ctx.Model.Node) {
		for _, f := range command.Flags {
			for _, name := range f.Envs {
				known[name] = true
			}
		}
	}
	prefix := variablePrefix(selected)
	for _, setting := range os.Environ() {
		name, value, _ := strings.Cut(setting, "=")
		if flag, ok := strings.CutPrefix(name, prefix); ok && value != "" && !known[name] {
			flag = strings.ToLower(strings.ReplaceAll(flag, "_", "-"))
			fmt.Fprintf(ctx.Stderr, "rdfgpu: %s is passed over: rdfgpu %s has no flag --%s\n", name, selected.Name, flag)
		}
	}
}

// settingsFiles are the files of which the first that is there is read where none is named.
func settingsFiles() (files []string) {
	if dir, err := os.UserConfigDir(); err == nil {
		files = append(files, filepath.Join(dir, "rdfgpu", "config.toml"))
	}
	return append(files, "/etc/rdfgpu/config.toml")
}

// settings are the values of a file, by command and flag.
type settings struct {
	file   string
	values map[string]map[string]any
}

// readSettings reads a file of settings: a table for each command, a key for each of its flags. What no command has is an error.
func readSettings(file string, app *kong.Application) (*settings, error) {
	text, err := readSmall(file)
	if err != nil {
		return nil, err
	}
	var tables map[string]any
	if _, err := toml.Decode(text, &tables); err != nil {
		var syntax toml.ParseError
		if errors.As(err, &syntax) {
			return nil, fmt.Errorf("%s:%d: %s", file, syntax.Position.Line, syntax.Message)
		}
		return nil, err
	}
	s := &settings{file: file, values: map[string]map[string]any{}}
	for name, table := range tables {
		values, ok := table.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("%s: %s stands outside of a table: expected one for each command, as [serve], with its flags, as timeout = \"20s\"", file, name)
		}
		s.values[name] = values
	}
	return s, s.Validate(app)
}

// settingsBytes is the longest file of settings: one that is longer was named by mistake.
const settingsBytes = 1 << 20

// readSmall reads a file of settings.
func readSmall(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, settingsBytes+1))
	if len(text) > settingsBytes {
		return "", fmt.Errorf("%s is longer than a file of settings may be, %d bytes", file, settingsBytes)
	}
	return string(text), err
}

// Validate finds commands and flags that do not exist.
func (s *settings) Validate(app *kong.Application) error {
	for _, name := range slices.Sorted(maps.Keys(s.values)) {
		i := slices.IndexFunc(app.Children, func(n *kong.Node) bool { return n.Name == name && !n.Hidden })
		if i < 0 {
			return fmt.Errorf("%s: [%s] is no command: expected one of %s", s.file, name, strings.Join(commandNames(app), ", "))
		}
		for _, key := range slices.Sorted(maps.Keys(s.values[name])) {
			known := func(f *kong.Flag) bool { return f.Name == key && !inCommandLineOnly(f) }
			if !slices.ContainsFunc(app.Children[i].Flags, known) {
				return fmt.Errorf("%s: [%s] %s is no flag of that command: rdfgpu %s --help lists them", s.file, name, key, name)
			}
		}
	}
	return nil
}

// commandNames are the names of the commands that are shown.
func commandNames(app *kong.Application) (names []string) {
	for _, n := range app.Children {
		if !n.Hidden {
			names = append(names, n.Name)
		}
	}
	return names
}

// Resolve is the value of a flag that the command line does not set; kong calls it.
func (s *settings) Resolve(_ *kong.Context, parent *kong.Path, f *kong.Flag) (any, error) {
	value, ok := s.values[parent.Node().Name][f.Name]
	if !ok || slices.ContainsFunc(f.Envs, isSet) {
		return nil, nil
	}
	text, err := settingText(f, value)
	if err == nil {
		err = parseFlag(f, text, reflect.New(f.Target.Type()).Elem())
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.file, err)
	}
	return text, nil
}

func isSet(variable string) bool {
	_, ok := os.LookupEnv(variable)
	return ok
}

// settingText is the value as it would stand on the command line, where kong checks it as there.
func settingText(f *kong.Flag, value any) (string, error) {
	switch v := value.(type) {
	case string, bool, int64, float64:
		return fmt.Sprint(v), nil
	case []any:
		separator := f.Tag.Sep
		if f.Target.Kind() == reflect.Map {
			separator = f.Tag.MapSep
		}
		if separator == -1 || f.Target.Kind() != reflect.Slice && f.Target.Kind() != reflect.Map {
			return "", errors.New("expected one value, found a list")
		}
		texts := make([]string, len(v))
		for i := range v {
			texts[i] = fmt.Sprint(v[i])
		}
		return kong.JoinEscaped(texts, separator), nil
	}
	return "", fmt.Errorf("expected a text, a number, true or false, or a list, found %v", value)
}

// parseFlag takes the value of a flag from what would stand on the command line. An error does not name the flag.
func parseFlag(f *kong.Flag, text string, target reflect.Value) error {
	if err := f.Parse(kong.ScanFromTokens(kong.Token{Type: kong.FlagValueToken, Value: text}), target); err != nil {
		if bare := errors.Unwrap(err); bare != nil {
			return bare
		}
		return err
	}
	if f.Enum != "" && !f.EnumMap()[text] {
		return fmt.Errorf("expected one of %s", f.Enum)
	}
	return nil
}
