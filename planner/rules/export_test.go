package rules

// Inside makes a rewriter take patterns for those of EXISTS.
func Inside(r *Rewriter) { r.inside++ }
