package rdfgpu

import (
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

func TestTheBuildIsWhatTheLinkerSaysElseWhatTheGoToolStamped(t *testing.T) {
	t.Parallel()
	stamped := &debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}, Settings: []debug.BuildSetting{
		{Key: "-tags", Value: "netgo,cuda"}, {Key: "vcs.revision", Value: "0123456789abcdef"},
		{Key: "vcs.time", Value: "2026-11-20T10:00:00Z"}, {Key: "vcs.modified", Value: "true"},
	}}
	for _, c := range []struct {
		name            string
		info            *debug.BuildInfo
		version, commit string
		want            Build
		text            string
	}{
		{"nothing is known", &debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}, "", "", Build{Version: "devel"}, "rdfgpu devel\n"},
		{"stamped", stamped, "", "", Build{Version: "v1.2.3", Commit: "0123456789abcdef", Time: "2026-11-20T10:00:00Z", Modified: true, CUDA: true},
			"rdfgpu v1.2.3, commit 0123456789ab and changes of 2026-11-20T10:00:00Z\n"},
		{"linked", &debug.BuildInfo{}, "v2.0.0", "fedc-dirty", Build{Version: "v2.0.0", Commit: "fedc", Modified: true}, "rdfgpu v2.0.0, commit fedc and changes\n"},
		{"another tag", &debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "-tags", Value: "cudaless"}}}, "", "", Build{Version: "devel"}, "without CUDA"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.want.Go, c.want.Platform = runtime.Version(), runtime.GOOS+"/"+runtime.GOARCH
			got := describeBuild(c.info, c.version, c.commit)
			if got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
			if !strings.Contains(got.String(), c.text) {
				t.Errorf("%q does not say %q", got.String(), c.text)
			}
		})
	}
}
