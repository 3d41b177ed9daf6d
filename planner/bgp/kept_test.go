package bgp

import "testing"

// TestCopiesOfAPlanKeepNothing keeps something with a plan: neither a copy nor a plan that is not for many runs has it, and the first stays.
func TestCopiesOfAPlanKeepNothing(t *testing.T) {
	p := &MatchPlan{}
	if p.Keep(1); p.Kept() != nil {
		t.Fatal("a plan for one run keeps something")
	}
	p.ForManyRuns()
	copied := *p
	copied.Keep(1)
	if copied.Kept() != nil || p.Kept() != nil {
		t.Fatal("a copy keeps something")
	}
	p.Keep(2)
	p.Keep(3)
	if copied = *p; p.Kept() != 2 || copied.Kept() != nil {
		t.Fatalf("kept %v, and %v with the copy", p.Kept(), copied.Kept())
	}
}
