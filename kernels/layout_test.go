package kernels

import (
	"math"
	"testing"
)

// TestLayoutIsTheDevices holds the sizes that layout.cuh asserts.
func TestLayoutIsTheDevices(t *testing.T) {
	for name, s := range map[string]struct{ got, want int64 }{
		"Partition": {Size[Partition](), 64}, "Operand": {Size[Operand](), 16}, "Link": {Size[Link](), 112},
		"Check": {Size[Check](), 48}, "Step": {Size[Step](), 224}, "Frame": {Size[Frame](), 32},
		"StepTrace": {Size[StepTrace](), 32}, "State": {Size[State](), 128}, "Program": {Size[Program](), 264},
	} {
		if s.got != s.want {
			t.Errorf("%s has %d bytes, layout.cuh says %d", name, s.got, s.want)
		}
	}
}

func TestCountsBeyond64BitsAreTheLargestNumber(t *testing.T) {
	for _, c := range []struct {
		state State
		want  uint64
	}{
		{State{Count: 5}, 5},
		{State{Count: 1 << 33, CountHigh: 1}, 3 << 32},
		{State{Count: math.MaxUint32, CountHigh: math.MaxUint32}, math.MaxUint64},
		{State{CountHigh: 1 << 32}, math.MaxUint64},
		{State{Count: 7, Overflowed: 1}, math.MaxUint64},
	} {
		if got := c.state.Solutions(); got != c.want {
			t.Errorf("%+v: %d, want %d", c.state, got, c.want)
		}
	}
}

func TestTheEmulatedDeviceRefusesAccessOutside(t *testing.T) {
	e := Emulate(1 << 20)
	a, err := e.Alloc(100)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if recover() == nil {
			t.Error("reading behind an allocation did not panic")
		}
	}()
	e.memory.bytes(a+90, 20)
}

func TestOpenWithoutAGPUFails(t *testing.T) {
	if d, err := Open(99); err == nil {
		t.Errorf("opened %s", d.Name())
	} else {
		t.Log(err)
	}
}
