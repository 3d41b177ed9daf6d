package web

import (
	"path"
	"strings"
	"testing"
)

// mostWorkbench is how many bytes the whole workbench may take, compressed as it is sent, without the outline of the
// land, which is fetched with the first map.
const mostWorkbench = 500_000

func TestWorkbenchIsSmall(t *testing.T) {
	t.Parallel()
	var size, first int
	for name, a := range workbench() {
		if !strings.HasPrefix(name, "/assets/") && name != "/index.html" || strings.HasPrefix(path.Base(name), "land-") {
			continue
		}
		n := len(a.body)
		if a.packed != nil {
			n = len(a.packed)
		}
		size += n
		if base := path.Base(name); strings.HasPrefix(base, "index") || strings.HasPrefix(base, "main") {
			first += n
		}
	}
	t.Logf("%d bytes compressed, %d of them at first", size, first)
	if size > mostWorkbench {
		t.Errorf("the workbench takes %d bytes compressed, at most %d are meant", size, mostWorkbench)
	}
	if first == 0 {
		t.Error("no file of the page was found")
	}
}
