package bench

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Form is what a case asks of an endpoint.
type Form string

const (
	// TSV reads all solutions as tab-separated values.
	TSV Form = "tsv"
	// JSON reads all solutions as SPARQL JSON.
	JSON Form = "json"
	// Count asks for SELECT (COUNT(*) AS ?c) over the same pattern.
	Count Form = "count"
)

var accepts = map[Form]string{
	TSV:   "text/tab-separated-values",
	JSON:  "application/sparql-results+json",
	Count: "application/sparql-results+json",
}

// Case is one query of a folder in one form.
type Case struct {
	Query string
	Form  Form
	Text  string
	// Expected is the number of solutions, -1 when unknown.
	Expected int64
}

var selectClause = regexp.MustCompile(`(?is)\bSELECT\b.*?\bWHERE\b`)

// Cases reads DIR/*.rq (and the counts of an expected.tsv beside or above DIR). only, when not empty, keeps the named
// queries.
func Cases(dir string, forms []Form, only []string) ([]Case, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.rq"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("bench: no .rq file in %s", dir)
	}
	slices.Sort(files)
	counts := expectedCounts(dir)
	var cases []Case
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".rq")
		if len(only) > 0 && !slices.Contains(only, name) {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("bench: %w", err)
		}
		for _, form := range forms {
			c := Case{Query: name, Form: form, Text: string(text), Expected: -1}
			if n, ok := counts[name]; ok {
				c.Expected = n
			}
			if form == Count {
				c.Text = selectClause.ReplaceAllString(c.Text, "SELECT (COUNT(*) AS ?c) WHERE")
			}
			cases = append(cases, c)
		}
	}
	return cases, nil
}

func expectedCounts(dir string) map[string]int64 {
	counts := map[string]int64{}
	for _, name := range []string{filepath.Join(dir, "expected.tsv"), filepath.Join(filepath.Dir(filepath.Clean(dir)), "expected.tsv")} {
		f, err := os.Open(name)
		if err != nil {
			continue
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			fields := strings.Split(lines.Text(), "\t")
			if len(fields) < 2 || strings.HasPrefix(fields[0], "#") {
				continue
			}
			if n, err := strconv.ParseInt(fields[1], 10, 64); err == nil {
				counts[fields[0]] = n
			}
		}
		return counts
	}
	return counts
}

var digits = regexp.MustCompile(`"value"\s*:\s*"(\d+)"`)

// solutions reads the number of solutions out of an answer, -1 when the form does not tell.
func (c Case) solutions(a answer) int64 {
	switch c.Form {
	case TSV:
		return max(a.lines-1, 0)
	case Count:
		if m := digits.FindSubmatch(a.kept); m != nil {
			n, _ := strconv.ParseInt(string(m[1]), 10, 64)
			return n
		}
	}
	return -1
}
