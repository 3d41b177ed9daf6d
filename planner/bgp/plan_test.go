package bgp_test

import (
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// TestPlans compares plans with those in testdata/plans.
func TestPlans(t *testing.T) {
	t.Parallel()
	matchtest.RunNamed(t, "testdata/plans", func(t *testing.T, d *matchtest.Named, td *datadriven.TestData) string {
		plan, err := d.Plan(t, td, bgp.Options{}, nil)
		if err != nil {
			return err.Error() + "\n"
		}
		return plan.Format(d.Name)
	})
}
