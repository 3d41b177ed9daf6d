// Package modifier has the solution modifiers (SPARQL 1.1 section 15): order, projection, distinct rows, offset and limit.
//
// Nouns: [Sort], [Distinct], [Project], [Slice], [Number] (numbers solutions, so that what is made of each can be told apart), [Ends] (the rows
// with the least and the greatest values, for a group that asks for no more).
//
// Many rows are told apart by workers (sharedDistinct), in their order, or by the goroutines that find them (distinctBeside), in none, and sorted by workers: keys are computed by a stage (sortKeys),
// distinct terms ranked in parts that are merged, and rows put in the order of their ranks. What an expression computes as numbers is sorted as number keys
// (numberranks.go), with no terms. Sorting is stable, and with a limit keeps
// the best rows only: the worst of them, known as soon as there are some hundred, keeps most others out, and tells a match that begins with the first values when to end ([Sort.Ahead]). Past the memory limit sorted runs go to files and are merged; distinct rows go to files split by hash.
package modifier
