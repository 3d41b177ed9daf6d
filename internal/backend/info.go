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
}

// String describes the device in a line.
func (d Info) String() string {
	if !d.Available {
		return d.Reason
	}
	const gib = 1 << 30
	return fmt.Sprintf("%s, compute capability %s, %.1f GiB (%.1f free), %.3f GiB of the store resident",
		d.Name, d.Capability, float64(d.Memory)/gib, float64(d.Free)/gib, float64(d.Resident)/gib)
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
		Capability: fmt.Sprintf("%d.%d", info.ComputeCapability/10, info.ComputeCapability%10),
	}
}
