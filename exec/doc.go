// Package exec runs plans: a [Matcher] (exec/cpu or exec/gpu) matches each basic graph pattern, and the operators
// above it, written once, turn column [Batch]es of IDs into column batches of IDs.
//
// There are no row objects and no allocation per row. Cancellation reaches every loop through the context.
package exec
