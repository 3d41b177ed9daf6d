package machine

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// Memory is the memory of the machine in bytes, or of the control groups that this process is confined to where that is
// less; 0 when it cannot be told.
var Memory = sync.OnceValue(func() int64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	groups, _ := os.ReadFile("/proc/self/cgroup")
	return min(int64(info.Totalram)*int64(info.Unit), groupLimit("/sys/fs/cgroup", string(groups)))
})

// groupLimit is the least limit of the control groups that a process belongs to and of those above them, MaxInt64 where there
// is none. root is where they are mounted, groups is the process's /proc/self/cgroup: a line "0::/path" for version 2, lines
// "number:controllers:/path" for version 1 (cgroups(7)). In a container the path may be that of the host: what is not there is
// passed over, up to the root, where the container's own limit stands.
func groupLimit(root, groups string) int64 {
	least := int64(math.MaxInt64)
	for line := range strings.Lines(groups) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		if parts[1] == "" {
			least = min(least, limitUp(root, parts[2], "memory.max"), limitUp(filepath.Join(root, "unified"), parts[2], "memory.max"))
		}
		for controller := range strings.SplitSeq(parts[1], ",") {
			if controller == "memory" {
				least = min(least, limitUp(filepath.Join(root, "memory"), parts[2], "memory.limit_in_bytes"))
			}
		}
	}
	return least
}

// limitUp is the least limit in the files of a name in a folder and those above it up to root.
func limitUp(root, path, name string) int64 {
	least := int64(math.MaxInt64)
	for at := filepath.Clean("/" + path); ; at = filepath.Dir(at) {
		if text, err := os.ReadFile(filepath.Join(root, at, name)); err == nil {
			if limit, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && limit > 0 {
				least = min(least, limit)
			}
		}
		if at == "/" {
			return least
		}
	}
}

// FreeDisk is how many bytes this process may still write where dir lies; 0 when it cannot be told.
func FreeDisk(dir string) int64 {
	var info unix.Statfs_t
	if unix.Statfs(dir, &info) != nil {
		return 0
	}
	return int64(info.Bavail) * int64(info.Bsize)
}
