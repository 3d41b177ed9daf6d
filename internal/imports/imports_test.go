// Package imports_test keeps the arrows between the rooms (docs/ARCHITECTURE.md) pointing one way.
package imports_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/rdfgpu/rdfgpu"

// rooms says, for each package, which other packages of this module it may import, besides the common ones.
var rooms = map[string][]string{
	"parser":        {},
	"dictionary":    {},
	"pcsr":          {"internal/radix"},
	"kernels":       {},
	"loader":        {"dictionary", "pcsr", "internal/bunzip", "internal/store", "internal/radix"},
	"planner/bgp":   {"internal/schedule", "parser", "pcsr", "dictionary"},
	"planner/scope": {"parser"},
	"planner/rules": {"parser", "planner/scope"},
	"planner":       {"internal/schedule", "planner/bgp", "planner/rules", "planner/scope", "parser", "pcsr", "dictionary"},
	"exec": {
		"internal/schedule", "exec/operator", "exec/source", "exec/path", "exec/sideways", "exec/eval", "exec/join", "exec/group", "exec/modifier", "exec/triples",
		"exec/limits", "exec/vector", "exec/expr", "exec/terms", "exec/match", "planner", "planner/bgp", "parser", "pcsr", "dictionary",
	},
	"exec/terms":    {"dictionary"},
	"exec/expr":     {"parser", "dictionary"},
	"exec/limits":   {},
	"exec/vector":   {"dictionary", "exec/limits"},
	"exec/operator": {"internal/schedule", "exec/limits", "exec/vector", "exec/expr", "exec/terms", "exec/match", "planner/bgp", "dictionary"},
	"exec/sideways": {"internal/schedule", "exec/operator", "exec/limits", "exec/vector", "dictionary"},
	"exec/eval":     {"exec/operator", "exec/sideways", "exec/vector", "exec/expr", "dictionary"},
	"exec/source": {
		"internal/schedule", "exec/operator", "exec/sideways", "exec/limits", "exec/vector", "exec/match", "planner", "planner/bgp", "parser", "pcsr", "dictionary",
	},
	"exec/path":              {"internal/schedule", "exec/operator", "exec/limits", "exec/vector", "exec/match", "planner", "parser", "pcsr", "dictionary"},
	"exec/join":              {"internal/schedule", "exec/operator", "exec/sideways", "exec/eval", "exec/limits", "exec/vector", "planner", "dictionary"},
	"exec/group":             {"internal/radix", "internal/schedule", "exec/operator", "exec/eval", "exec/limits", "exec/vector", "exec/expr", "parser", "dictionary"},
	"exec/modifier":          {"internal/radix", "internal/schedule", "exec/match", "exec/operator", "exec/eval", "exec/limits", "exec/vector", "exec/expr", "dictionary"},
	"exec/triples":           {"exec/operator", "exec/limits", "exec/vector", "pcsr", "dictionary"},
	"exec/match":             {"internal/schedule", "exec/vector", "planner/bgp", "pcsr", "dictionary"},
	"exec/match/cpu":         {"internal/schedule", "exec/match", "exec/vector", "planner/bgp", "pcsr", "dictionary"},
	"exec/match/gpu":         {"exec/match", "planner/bgp", "pcsr", "dictionary", "kernels"},
	"mine":                   {"internal/schedule", "internal/radix"},
	"internal/rdf":           {},
	"internal/section":       {},
	"internal/machine":       {},
	"internal/radix":         {},
	"internal/generate":      {},
	"internal/imports":       {},
	"internal/isomorphism":   {},
	"internal/schedule":      {},
	"internal/store":         {"dictionary", "pcsr"},
	"internal/wal":           {},
	"internal/wal/waltest":   {"internal/wal"},
	"internal/patch":         {"loader"},
	"internal/results":       {"exec/vector", "internal/schedule", "dictionary"},
	"internal/readback":      {"internal/results"},
	"internal/backend":       {"exec/match", "exec/match/gpu", "planner/bgp", "pcsr"},
	"internal/federation":    {"exec", "internal/reach", "internal/results", "loader"},
	"internal/reach":         {},
	"internal/webhook":       {"internal/reach"},
	"internal/live":          {"dictionary", "pcsr", "loader", "internal/store", "internal/wal"},
	"internal/live/livetest": {"internal/live", "dictionary", "loader"},
	"internal/watch": {
		"internal/live", "internal/schedule", "exec", "exec/limits", "exec/match", "exec/vector", "parser", "planner/bgp", "pcsr", "dictionary",
	},
	"internal/backup":           {"internal/store", "internal/wal"},
	"internal/update":           {"internal/live", "internal/patch", "exec", "exec/limits", "exec/vector", "parser", "pcsr", "dictionary"},
	"internal/blanks":           {},
	"internal/bunzip":           {},
	"internal/document":         {},
	"internal/events":           {},
	"internal/drawing":          {"planner/bgp", "dictionary"},
	"internal/bench":            {},
	"internal/bench/scale":      {root},
	"internal/bench/delta":      {root},
	"internal/bench/standing":   {root},
	"internal/bench/facets":     {},
	"internal/bench/replay":     {},
	"internal/history":          {},
	"internal/hostile":          {},
	"internal/hostile/campaign": {"internal/hostile", "internal/bench"},
	"internal/naive":            {"parser", "planner/bgp"},
	"internal/updatetest":       {"internal/isomorphism", "internal/results", "loader"},
	"internal/matchtest":        {"internal/schedule", "exec/match", "planner/bgp", "parser", "pcsr", "dictionary", "loader"},
	"internal/mcp":              {root},
	"internal/calls":            {root},
	"python":                    {},
	"python/lib":                {"internal/calls"},
	"web":                       {root, "mine", "internal/events", "internal/results", "internal/mcp", "internal/webhook"},
	"packaging/sbom":            {},
	"examples/watch":            {},
	"cmd/rdfgpu":                {root, "web", "mine", "internal/bench", "internal/events", "internal/generate", "internal/mcp", "internal/results"},
	root: {
		"loader", "parser", "planner", "planner/bgp", "pcsr", "dictionary", "exec", "exec/limits", "exec/vector", "exec/match", "exec/match/cpu", "exec/match/gpu", "exec/terms",
		"internal/backend", "internal/backup", "internal/blanks", "internal/document", "internal/drawing", "internal/federation", "internal/live", "internal/patch", "internal/readback", "internal/results", "internal/schedule",
		"internal/store", "internal/update", "internal/wal", "internal/watch", "mine",
	},
}

// root is the embedded API, in the module's own folder.
const root = ""

// common are the small shared packages that any room may import.
var common = []string{"internal/rdf", "internal/section", "internal/machine"}

// only lists libraries that one room alone may import (its tests are no imports).
var only = map[string]string{
	"gorgonia.org/cu":                            "kernels",
	"github.com/knakk/rdf":                       "internal/readback",
	"github.com/anishathalye/porcupine":          "internal/history",
	"github.com/modelcontextprotocol/go-sdk/mcp": "internal/mcp",
	"github.com/apache/arrow-go/v18/arrow/ipc":   "internal/results",
	"github.com/apache/arrow-go/v18/arrow/cdata": "python/lib",
	"github.com/parquet-go/parquet-go":           "internal/results",
	"github.com/coder/websocket":                 "web",
}

type listed struct {
	ImportPath string
	Imports    []string
}

func TestRoomsImportOnlyWhatTheMapAllows(t *testing.T) {
	for _, p := range list(t) {
		room := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		allowed, known := rooms[room]
		if !known {
			t.Errorf("%s is in no map: add it here and in docs/ARCHITECTURE.md", p.ImportPath)
		}
		for _, imported := range p.Imports {
			if owner, ok := only[imported]; ok && owner != room {
				t.Errorf("%s imports %s, which only %s may", room, imported, owner)
			}
			if imported != module && !strings.HasPrefix(imported, module+"/") {
				continue
			}
			other := strings.TrimPrefix(strings.TrimPrefix(imported, module), "/")
			if !slices.Contains(common, other) && !slices.Contains(allowed, other) {
				t.Errorf("%s imports %q, which the map in docs/ARCHITECTURE.md does not allow", room, other)
			}
		}
		for _, other := range allowed {
			if path := strings.TrimSuffix(module+"/"+other, "/"); !slices.Contains(p.Imports, path) {
				t.Errorf("%s does not import %q, as the map says that it may: take the arrow off", room, other)
			}
		}
	}
}

func list(t *testing.T) []listed {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", module+"/...").Output()
	if err != nil {
		t.Skipf("go list: %v", err)
	}
	var packages []listed
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}
