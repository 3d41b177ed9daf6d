package matchtest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"
)

// Report is a markdown file in the folder OUT, and standard output: what a test measured.
type Report struct {
	t    *testing.T
	file *os.File
}

// NewReport begins a report in a file of that name, which is closed with the test.
func NewReport(t *testing.T, name string) *Report {
	t.Helper()
	out := os.Getenv("OUT")
	if out == "" {
		out = t.TempDir()
	}
	f, err := os.Create(filepath.Join(out, name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return &Report{t, f}
}

// Row writes a row of the table.
func (r *Report) Row(cells ...any) {
	line := "|"
	for _, c := range cells {
		if x, ok := c.(float64); ok {
			c = strconv.FormatFloat(x, 'g', 4, 64)
		}
		line += fmt.Sprintf(" %v |", c)
	}
	fmt.Fprintln(r.file, line)
	fmt.Println(line)
}

// Head begins a table.
func (r *Report) Head(title string, cells ...any) {
	r.Say("\n" + title + "\n")
	r.Row(cells...)
	rule := make([]any, len(cells))
	for i := range rule {
		rule[i] = "---"
	}
	r.Row(rule...)
}

// Say writes a line beside the tables.
func (r *Report) Say(line string) {
	fmt.Fprintln(r.file, line)
	fmt.Println(line)
}

// Details writes a file of its own beside the report.
func (r *Report) Details(name, text string) {
	if err := os.WriteFile(filepath.Join(filepath.Dir(r.file.Name()), name), []byte(text), 0o644); err != nil {
		r.t.Error(err)
	}
}

// Milliseconds are those of a duration.
func Milliseconds(d time.Duration) float64 { return float64(d) / 1e6 }

// Median sorts numbers and returns the one in the middle.
func Median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}
