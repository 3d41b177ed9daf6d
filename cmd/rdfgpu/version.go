package main

import (
	"fmt"

	"github.com/rdfgpu/rdfgpu"
)

type versionCommand struct {
	JSON bool `name:"json" help:"As JSON."`
}

// Help is shown by rdfgpu version --help.
func (*versionCommand) Help() string {
	return `Tells the version, the commit that it was built of, the Go version, whether the kernels for GPUs are inside, and the GPU that is
found, or why there is none.

Examples:
  rdfgpu --version
  rdfgpu version --json`
}

// versioned is the build with the device that it runs on.
type versioned struct {
	rdfgpu.Build
	Device rdfgpu.DeviceInfo `json:"device"`
}

// String describes both.
func (v versioned) String() string { return fmt.Sprintf("%s\nGPU: %s", v.Build, v.Device) }

// Run prints the version.
func (c *versionCommand) Run(env *environment) error {
	return printReport(env, versioned{rdfgpu.DescribeBuild(), rdfgpu.DescribeDevice()}, c.JSON, false)
}
