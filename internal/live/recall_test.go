package live

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/dictionary"
)

// TestWhatIsRecalledIsWhatWasKept keeps more keys than there is room for, and long ones.
func TestWhatIsRecalledIsWhatWasKept(t *testing.T) {
	r := &recall{}
	key := func(n int) []byte { return fmt.Append(nil, "<http://e/", n) }
	recalled := 0
	for n := range 2*mostRecalled + 1000 {
		if id, ok := r.id(key(n)); ok {
			t.Fatalf("%s was never kept, and is %d", key(n), id)
		}
		r.keep(key(n), dictionary.ID(n))
		if id, ok := r.id(key(n)); !ok || id != dictionary.ID(n) {
			t.Fatalf("%s is %d, %v", key(n), id, ok)
		}
		if id, ok := r.id(key(n / 2)); ok {
			if recalled++; id != dictionary.ID(n/2) {
				t.Fatalf("%s is %d", key(n/2), id)
			}
		}
	}
	if recalled < mostRecalled {
		t.Errorf("only %d were recalled", recalled)
	}
	if len(r.keys) > recallBytes || len(r.slots) > 2*mostRecalled {
		t.Errorf("%d bytes of keys and %d slots", len(r.keys), len(r.slots))
	}
	long := []byte(strings.Repeat("l", longestRecalled+1))
	r.keep(long, 7)
	if _, ok := r.id(long); ok {
		t.Error("a long key is kept")
	}
}
