// Package rules turns the algebra of a query into an equivalent one that is cheaper to run.
//
// Nouns: [Rule] (one rewrite, from algebra to algebra), [Rewriter] (the rules over one query).
//
// A rule is a file with its test in testdata, of the same name. It says what it makes of what, and what it relies on:
// the semantics of basic graph patterns, and whether it holds inside EXISTS, where variables may have values that the
// pattern itself does not give them. [List] has the rules in their order, and why. None looks at the data.
//
// Three rewrites depend on more than the algebra. Who plans asks for them by name, at the pattern in question:
// [OnlyRepeats] (on who reads the solutions), [CommonPart] (on what the branches of a union cost), and [Languages] (on
// which terms the data have). [Substitute] is no gain but a meaning: what EXISTS does to its pattern.
package rules
