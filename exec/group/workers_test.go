package group

import (
	"testing"

	"github.com/rdfgpu/rdfgpu/exec/operator"
)

// TestGroupsThatKeepComingAreTold by those that began in the second half of the rows.
func TestGroupsThatKeepComingAreTold(t *testing.T) {
	every := func(rows, until uint64) (first []uint64) {
		for at := uint64(0); at < until; at += rows {
			first = append(first, at)
		}
		return first
	}
	for _, c := range []struct {
		name  string
		first []uint64
		want  bool
	}{
		{"ten rows a group, one after the other", every(10, 8192), true},
		{"four hundred rows a group, one after the other", every(400, 8192), false},
		{"a thousand groups, all known after a quarter of the rows", every(2, 2000), false},
		{"one group", every(8192, 8192), false},
	} {
		r := &run{x: &operator.Execution{Tuning: operator.Tuning{}.Complete()}, first: c.first}
		if got := r.keepsComing(8192); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
