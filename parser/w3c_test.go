package parser

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	manifestEntry   = regexp.MustCompile(`(?m)^\s*(:\S+|<#\S+>)\s+(a|rdf:type|mf:name)\s`)
	manifestType    = regexp.MustCompile(`mf:(Positive|Negative)(?:Update)?SyntaxTest(?:11)?\b`)
	manifestAction  = regexp.MustCompile(`mf:action\s+<([^>]+)>`)
	manifestQuery   = regexp.MustCompile(`qt:query\s+<([^>]+)>`)
	manifestRequest = regexp.MustCompile(`ut:request\s+<([^>]+)>`)
)

// TestW3CSyntax parses every query and update of the SPARQL 1.0 and 1.1 suites: the syntax tests as their type says, the
// queries and updates of all other tests without an error.
func TestW3CSyntax(t *testing.T) {
	root := os.Getenv("RDFGPU_W3C")
	if root == "" {
		t.Skip("RDFGPU_W3C does not name the folder of the W3C test suites")
	}
	counts := map[string]int{}
	err := filepath.WalkDir(filepath.Join(root, "sparql"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "manifest.ttl" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, entry := range splitEntries(string(text)) {
			file, positive, kind := classify(entry)
			if kind != "" {
				counts[kind]++
				checkSyntax(t, filepath.Join(filepath.Dir(path), file), positive)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%v", counts)
	for kind, least := range map[string]int{
		"positive": 215, "negative": 85, "query": 400, "positive update": 42, "negative update": 21, "request": 94,
	} {
		if counts[kind] < least {
			t.Errorf("%d tests of kind %s were found instead of %d", counts[kind], kind, least)
		}
	}
}

// w3cTexts returns the queries (.rq) or the updates (.ru) of the suites, nil without them.
func w3cTexts(extension string) (list []string) {
	root := os.Getenv("RDFGPU_W3C")
	if root == "" {
		return nil
	}
	_ = filepath.WalkDir(filepath.Join(root, "sparql"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, extension) {
			if text, err := os.ReadFile(path); err == nil {
				list = append(list, string(text))
			}
		}
		return nil
	})
	return list
}

func splitEntries(manifest string) []string {
	var list []string
	starts := manifestEntry.FindAllStringIndex(manifest, -1)
	for i, s := range starts {
		end := len(manifest)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		list = append(list, manifest[s[0]:end])
	}
	return list
}

func classify(entry string) (file string, positive bool, kind string) {
	if m := manifestQuery.FindStringSubmatch(entry); m != nil {
		return m[1], true, "query"
	}
	if m := manifestRequest.FindStringSubmatch(entry); m != nil {
		return m[1], true, "request"
	}
	m, action := manifestType.FindStringSubmatch(entry), manifestAction.FindStringSubmatch(entry)
	if m == nil || action == nil {
		return "", false, ""
	}
	kind = strings.ToLower(m[1])
	if strings.HasSuffix(action[1], ".ru") {
		kind += " update"
	}
	return action[1], m[1] == "Positive", kind
}

func checkSyntax(t *testing.T, file string, positive bool) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Error(err)
		return
	}
	if options := (Options{Base: "http://example.org/"}); strings.HasSuffix(file, ".ru") {
		_, err = ParseUpdate(t.Context(), string(text), options)
	} else {
		_, err = Parse(string(text), options)
	}
	switch {
	case positive && err != nil:
		t.Errorf("%s: %v\n%s", file, err, text)
	case !positive && err == nil:
		t.Errorf("%s: accepted\n%s", file, text)
	}
}
