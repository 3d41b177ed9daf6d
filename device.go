package rdfgpu

import (
	"fmt"

	"github.com/rdfgpu/rdfgpu/exec"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner"
)

// device is the GPU of an open store.
type device struct{ options Options }

func newDevice(options Options) *device { return &device{options: options} }

func (d *device) err() error {
	return fmt.Errorf("%w: this binary is built for the CPU alone", ErrNoDevice)
}

func (d *device) close() error { return nil }

// Device describes the GPU and what of the store is resident there.
func (s *Store) Device() DeviceInfo { return s.gpu.describe() }

// DescribeDevice describes the GPU.
func DescribeDevice() DeviceInfo { return newDevice(Options{}).describe() }

func (d *device) describe() DeviceInfo { return DeviceInfo{Reason: d.err().Error()} }

// choice picks the matcher of each basic graph pattern of one query.
type choice struct {
	store  *Store
	device Device
}

func (c *choice) matcher(*planner.MatchPlan, *pcsr.Graph) exec.Matcher { return c.store.cpu }

// String names where the patterns were matched.
func (c *choice) String() string { return "cpu" }

func (c *choice) addTo(*Timings) {}

// resolve says which device a query gets: its own wish, else the store's.
func (d *device) resolve(asked Device) (Device, error) {
	if asked == "" || asked == Auto {
		asked = d.options.Device
	}
	switch asked {
	case "", Auto:
		return Auto, nil
	case CPU:
		return CPU, nil
	case GPU:
		return GPU, d.err()
	}
	return "", fmt.Errorf("%q is no device: expected auto, cpu or gpu", asked)
}
