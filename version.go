package rdfgpu

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// The linker sets these where a build is told so (`go build -ldflags "-X github.com/rdfgpu/rdfgpu.version=…"`, as make does); other
// builds know what the Go tool stamps. A commit ends in -dirty where the sources were changed since.
var version, commit string

// Build says what this binary was made of.
type Build struct {
	// Version is that of the release, or of the module; "devel" where it is neither.
	Version string `json:"version"`
	// Commit is the revision of the sources, Time when it was made (RFC 3339); "" where the build does not know it.
	Commit string `json:"commit,omitempty"`
	Time   string `json:"time,omitempty"`
	// Modified reports sources that were changed after the commit.
	Modified bool `json:"modified,omitempty"`
	// Go is the version of the compiler, Platform the system and processor, as linux/amd64.
	Go       string `json:"go"`
	Platform string `json:"platform"`
	// CUDA reports that the kernels are in the binary: it uses a GPU where it finds one.
	CUDA bool `json:"cuda"`
}

// DescribeBuild describes this binary.
func DescribeBuild() Build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return describeBuild(info, version, commit)
}

// describeBuild is what the Go tool stamped, where the linker was not told otherwise.
func describeBuild(info *debug.BuildInfo, version, commit string) Build {
	b := Build{Version: version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if b.Version == "" && info.Main.Version != "(devel)" {
		b.Version = info.Main.Version
	}
	if b.Version == "" {
		b.Version = "devel"
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Time = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		case "-tags":
			b.CUDA = hasTag(s.Value, "cuda")
		}
	}
	if commit != "" {
		b.Commit, b.Modified = strings.CutSuffix(commit, "-dirty")
	}
	return b
}

func hasTag(list, tag string) bool {
	for t := range strings.SplitSeq(list, ",") {
		if t == tag {
			return true
		}
	}
	return false
}

// shortCommit is how much of a commit is printed.
const shortCommit = 12

// String describes the binary in two lines.
func (b Build) String() string {
	text := "rdfgpu " + b.Version
	if b.Commit != "" {
		text += ", commit " + b.Commit[:min(len(b.Commit), shortCommit)]
		if b.Modified {
			text += " and changes"
		}
	}
	if b.Time != "" {
		text += " of " + b.Time
	}
	cuda := "without CUDA"
	if b.CUDA {
		cuda = "with CUDA"
	}
	return fmt.Sprintf("%s\n%s, %s, built %s", text, b.Go, b.Platform, cuda)
}

// Version is the name and version of the program, in a few words.
func Version() string { return "rdfgpu " + DescribeBuild().Version }
