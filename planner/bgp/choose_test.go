package bgp

import "testing"

// TestAPlanIsTakenWhereItIsClearlyCheaper, and not where walks of either plan tell so different things that it may not be.
func TestAPlanIsTakenWhereItIsClearlyCheaper(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what        string
		plan, other measured
		want        bool
	}{
		{"certain", measured{70, 0}, measured{100, 0}, true},
		{"little cheaper", measured{80, 0}, measured{100, 0}, false},
		{"itself not known well", measured{60, 20}, measured{100, 0}, false},
		{"itself known well enough", measured{60, 10}, measured{100, 10}, true},
		{"the other one not known well", measured{52, 22}, measured{100, 49}, false},
		{"much cheaper than one not known well", measured{20, 5}, measured{100, 49}, true},
	} {
		if got := c.plan.beats(c.other); got != c.want {
			t.Errorf("%s: taken %v, want %v", c.what, got, c.want)
		}
	}
}
