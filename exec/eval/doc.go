// Package eval computes expressions over batches, for the operators above.
//
// Nouns: [Evaluator] (an expression, with what must be computed before it: EXISTS and labelled blank nodes), [Predicate]
// (one whose effective boolean value matters), [Filter] and [Bind] (the operators that compute nothing else), [Blank].
//
// What a function or an operator of SPARQL means is the business of exec/expr. An Evaluator that is plain may be used by
// several goroutines at a time, others by one.
package eval
