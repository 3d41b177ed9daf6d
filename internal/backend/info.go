package backend

import "fmt"

// Info describes a GPU.
type Info struct {
	// Available reports whether queries can run on it; Reason says why not.
	Available bool   `json:"available"`
	Reason    string `json:"reason,omitempty"`
	Name      string `json:"name,omitempty"`
	// Memory, Free, Used, Resident and Working are bytes: of the device, free on it, taken by this process, and of these
	// taken by the store's partitions and by the queries that run now.
	Memory     int64  `json:"memory,omitempty"`
	Free       int64  `json:"free,omitempty"`
	Used       int64  `json:"used,omitempty"`
	Resident   int64  `json:"resident,omitempty"`
	Working    int64  `json:"working,omitempty"`
	Capability string `json:"capability,omitempty"`
	// Copied is how many bytes of partitions were copied to it so far, Patched how many that updates have changed were made there.
	Copied  int64 `json:"copied,omitempty"`
	Patched int   `json:"patched,omitempty"`
	// Host is how many bytes of partitions lie in pinned host memory, because the device has no room for them: they are read in pages.
	// PagesCopied is how many bytes of pages came over the bus so far; PageHits is how often a page was on the device when a step of a query
	// wanted lists of it, PageMisses how often it was not.
	Host        int64 `json:"host,omitempty"`
	PagesCopied int64 `json:"pagesCopied,omitempty"`
	PageHits    int64 `json:"pageHits,omitempty"`
	PageMisses  int64 `json:"pageMisses,omitempty"`
}

// String describes the device in a line.
func (d Info) String() string {
	if !d.Available {
		return d.Reason
	}
	const gib = 1 << 30
	text := fmt.Sprintf("%s, compute capability %s, %.1f GiB (%.1f free), %.3f GiB of the store resident",
		d.Name, d.Capability, float64(d.Memory)/gib, float64(d.Free)/gib, float64(d.Resident)/gib)
	if d.Host > 0 {
		text += fmt.Sprintf(", %.3f GiB read in pages from host memory", float64(d.Host)/gib)
	}
	return text
}

// Describe opens the GPU, if that has not been done, and describes it.
func (b *Backends) Describe() Info {
	opened, err := b.open()
	b.ClaimOpening()
	if err != nil {
		return Info{Reason: err.Error()}
	}
	info, err := opened.Info()
	if err != nil {
		return Info{Reason: err.Error()}
	}
	return Info{
		Available: true, Name: info.Name, Memory: info.Total, Free: info.Free, Used: info.Used, Resident: info.GraphBytes,
		Working: max(0, info.Used-info.GraphBytes-info.Idle), Copied: info.Copied, Patched: info.Patched,
		Host: info.HostBytes, PagesCopied: info.Pages.Copied, PageHits: info.Pages.Hits, PageMisses: info.Pages.Misses,
		Capability: fmt.Sprintf("%d.%d", info.ComputeCapability/10, info.ComputeCapability%10),
	}
}
