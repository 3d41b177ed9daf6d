package bgp

import "testing"

// TestCopiesOfAPlanKeepNothing keeps something with a plan: neither a copy nor a plan that is not for many runs has it, and the first stays.
func TestCopiesOfAPlanKeepNothing(t *testing.T) {
	p := &MatchPlan{}
	if p.Keep(KeptProgram, 1); p.Kept(KeptProgram) != nil {
		t.Fatal("a plan for one run keeps something")
	}
	p.ForManyRuns()
	copied := *p
	copied.Keep(KeptProgram, 1)
	if copied.Kept(KeptProgram) != nil || p.Kept(KeptProgram) != nil {
		t.Fatal("a copy keeps something")
	}
	p.Keep(KeptProgram, 2)
	p.Keep(KeptProgram, 3)
	if copied = *p; p.Kept(KeptProgram) != 2 || copied.Kept(KeptProgram) != nil {
		t.Fatalf("kept %v, and %v with the copy", p.Kept(KeptProgram), copied.Kept(KeptProgram))
	}
	if p.Kept(KeptSymmetry) != nil {
		t.Fatal("one thing is kept as another")
	}
}
