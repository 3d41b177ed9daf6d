// Package mine finds structures in a graph before anybody knows which to ask for: cliques, motifs, cores, trusses, components, frequent
// patterns (GAMMA, section 4: a framework for graph pattern mining).
//
// Nouns: [Graph] (undirected, simple, in memory, shared by any number of goroutines), [Table] (embeddings: rows of vertices, as a
// prefix tree), [Extension] (which vertices a row grows by), [Aggregation] (embeddings counted by [Pattern]), [Options]; [Labelled] (a
// graph whose vertices have labels and whose edges have predicates and directions), in which [Frequent] finds each [LabelledPattern]; [Program] (an
// algorithm as data, for tables here and for matchers elsewhere).
//
// # The primitives
//
// [Run] gives each vertex of a graph to a function, as a table of one column. [Table.Extend] adds a column, [Table.Filter] drops rows,
// [Table.Aggregate] counts what the rows look like. Paths of three vertices whose ends are not joined, each once:
//
//	paths := mine.NewAggregation(g, mine.Measures{})
//	err := mine.Run(ctx, g, mine.Options{}, func(t *mine.Table) error { // ends
//		return t.Extend(mine.Extension{Adjacent: mine.Positions(0)}, func(t *mine.Table) error { // middles
//			ends := mine.Extension{Adjacent: mine.Positions(1), Apart: mine.Positions(0), Above: mine.Positions(0)}
//			return t.Extend(ends, func(t *mine.Table) error { return t.Aggregate(paths) })
//		})
//	})
//
// The functions run on several goroutines at once, each with a table of its own; slices that a table hands out are valid until the
// function returns.
//
// # Why
//
// A table is breadth-first inside a batch of rows and depth-first across batches: when a column is full, the function that was to
// get it is called, and the extension goes on where it stopped. So memory is bounded whatever the number of embeddings, nothing is
// written to disk, and no level can fail to fit.
//
// Vertices are numbered by ascending degree. An order constraint (Above) then is the orientation by degree that clique counting
// wants, and costs no second graph: a vertex has few neighbours above itself, however many it has.
//
// Rows of one parent stand together and share what their common prefix says about the next vertex, which is worked out once for all
// of them (GAMMA, section 6.1, optimization 2).
//
// Frequent patterns are not found in tables: minimum image support asks for each vertex whether it is in any embedding, not for all of
// them. Sets of vertices, one for each vertex of the pattern, are thinned out along its edges, and only where that cannot be exact is an embedding
// looked for (as GraMi does: Elseidy, Abdelhamid, Skiadopoulos and Kalnis, GraMi: Frequent Subgraph and Pattern Mining in a Single Large Graph).
//
// Of patterns of two edges with one vertex in common not even sets are made: whether a vertex is at the end of one depends on which ways on its neighbours
// have, and on which of these lead back to it alone, so that a vertex has a bit for each way on and all such patterns are measured in two sweeps over the edges. What
// a neighbour does not count for is known exactly: two different vertices can be chosen of two sets that are not empty unless both are the same
// one vertex (Hall's theorem).
//
// Programs have order constraints only as far as these choose among rows that are the same but for their order. So tables may order vertices by degree, and a
// matcher, which breaks symmetries in its own way, need not order them at all: rows are a known share of the embeddings.
//
// Which vertices of a row are adjacent is kept as a few bits beside the row, as they are found while it is extended; the canonical
// form of such bits is looked for once per shape, not once per embedding.
package mine
