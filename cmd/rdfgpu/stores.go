package main

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// namedStore is one of the stores that are served; given is the name that it was given, "" where it is that of its folder.
type namedStore struct{ name, given, folder string }

// named are the stores of the command line: NAME=FOLDER, or FOLDER, whose last part is the name, without .store.
func (c *serveCommand) named() (list []namedStore, err error) {
	for _, text := range c.Stores {
		s := namedStore{folder: text}
		if name, folder, ok := strings.Cut(text, "="); ok && !strings.ContainsAny(name, `/\`) {
			s.given, s.folder = name, folder
		}
		if s.name = s.given; s.name == "" {
			absolute, err := filepath.Abs(s.folder)
			if err != nil {
				return nil, err
			}
			s.name = strings.TrimSuffix(filepath.Base(absolute), ".store")
		}
		if slices.ContainsFunc(list, func(other namedStore) bool { return other.name == s.name }) {
			return nil, usageError(fmt.Sprintf("two stores are called %q: name one with NAME=FOLDER", s.name))
		}
		list = append(list, s)
	}
	return list, nil
}

// common are the flags that several stores of one server cannot have each for itself.
var common = []string{"set", "addr", "max-memory", "max-spill", "max-connections", "read-timeout", "write-timeout", "allow-host", "tls-cert", "tls-key", "log-json"}

// each are the settings of every store: those of the command, and what --set says of it alone.
func (c *serveCommand) each(parsed *kong.Context, stores []namedStore) ([]*serveCommand, error) {
	flags := parsed.Selected().Flags
	own := map[string][][2]string{}
	for _, text := range c.Set {
		key, value, ok := strings.Cut(text, "=")
		name, flag, dotted := cutLast(key, ".")
		if !ok || !dotted {
			return nil, usageError(fmt.Sprintf("--set %s: expected NAME.FLAG=VALUE", text))
		}
		if !slices.ContainsFunc(stores, func(s namedStore) bool { return s.name == name }) {
			return nil, usageError(fmt.Sprintf("--set %s: no store is called %q", text, name))
		}
		if slices.Contains(common, flag) || !slices.ContainsFunc(flags, func(f *kong.Flag) bool { return f.Name == flag }) {
			return nil, usageError(fmt.Sprintf("--set %s: %q is no flag that one store can have for itself", text, flag))
		}
		own[name] = append(own[name], [2]string{flag, value})
	}
	before := *c
	defer func() { *c = before }()
	var list []*serveCommand
	for _, s := range stores {
		*c = before
		for _, set := range own[s.name] {
			if err := override(flags, set[0], set[1]); err != nil {
				return nil, usageError(fmt.Sprintf("--set %s.%s: %v", s.name, set[0], err))
			}
		}
		settings := *c
		list = append(list, &settings)
	}
	return list, nil
}

func cutLast(text, separator string) (before, after string, found bool) {
	i := strings.LastIndex(text, separator)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(separator):], true
}

// override gives a flag another value, as if the command line had that one alone.
func override(flags []*kong.Flag, name, value string) error {
	f := flags[slices.IndexFunc(flags, func(f *kong.Flag) bool { return f.Name == name })]
	f.Target.Set(reflect.Zero(f.Target.Type()))
	return parseFlag(f, value, f.Target)
}
