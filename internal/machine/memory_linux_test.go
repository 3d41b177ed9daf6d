package machine

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

// TestTheLeastLimitOfAllGroupsCounts lays out control groups of both versions, nested.
func TestTheLeastLimitOfAllGroupsCounts(t *testing.T) {
	for _, c := range []struct {
		name, groups string
		files        map[string]string
		want         int64
	}{
		{"no group limits", "0::/user/me\n", map[string]string{"user/memory.max": "max\n"}, math.MaxInt64},
		{"a group of version 2", "0::/user/me\n", map[string]string{"user/me/memory.max": "1000\n", "user/memory.max": "max\n"}, 1000},
		{"the group above limits more", "0::/user/me\n", map[string]string{"user/me/memory.max": "1000\n", "user/memory.max": "500\n"}, 500},
		{"the path is that of the host", "0::/docker/1234\n", map[string]string{"memory.max": "700\n"}, 700},
		{"version 1", "5:cpu:/a\n4:cpuset,memory:/a/b\n", map[string]string{"memory/a/b/memory.limit_in_bytes": "9223372036854771712\n", "memory/a/memory.limit_in_bytes": "300\n"}, 300},
		{"both versions", "4:memory:/a\n0::/x\n", map[string]string{"memory/a/memory.limit_in_bytes": "300\n", "unified/x/memory.max": "200\n"}, 200},
		{"garbage", "?\n0::/a\n", map[string]string{"a/memory.max": "lots\n"}, math.MaxInt64},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			for name, text := range c.files {
				path := filepath.Join(root, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if got := groupLimit(root, c.groups); got != c.want {
				t.Errorf("%d, want %d", got, c.want)
			}
		})
	}
}
