// Command sbom lists what a Go binary was built of, as a CycloneDX 1.5 bill of materials on standard output: its own module, and every
// module that is in it, with version and checksum, as the Go tool recorded them in the binary.
package main

import (
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: sbom BINARY VERSION")
		os.Exit(2)
	}
	info, err := buildinfo.ReadFile(os.Args[1])
	if err == nil {
		encoder := json.NewEncoder(os.Stdout)
		encoder.SetIndent("", "  ")
		err = encoder.Encode(newBill(info, os.Args[2]))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

// bill is a CycloneDX document.
type bill struct {
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Version    int         `json:"version"`
	Metadata   metadata    `json:"metadata"`
	Components []component `json:"components"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type    string `json:"type"`
	Name    string `json:"name"`
	Version string `json:"version"`
	URL     string `json:"purl,omitempty"`
	Hashes  []hash `json:"hashes,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

// newBill lists the modules of a binary; version is that of the binary itself.
func newBill(info *buildinfo.BuildInfo, version string) bill {
	b := bill{Format: "CycloneDX", Spec: "1.5", Version: 1, Components: []component{
		{Type: "library", Name: "stdlib", Version: info.GoVersion, URL: "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go")},
	}}
	b.Metadata.Component = component{Type: "application", Name: info.Main.Path, Version: version, URL: "pkg:golang/" + info.Main.Path + "@" + version}
	for _, m := range info.Deps {
		b.Components = append(b.Components, newComponent(m))
	}
	return b
}

// newComponent is a module, or what it was replaced by.
func newComponent(m *debug.Module) component {
	if m.Replace != nil {
		m = m.Replace
	}
	c := component{Type: "library", Name: m.Path, Version: m.Version, URL: "pkg:golang/" + m.Path + "@" + m.Version}
	if sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:")); err == nil && len(sum) > 0 {
		c.Hashes = []hash{{"SHA-256", hex.EncodeToString(sum)}}
	}
	return c
}
