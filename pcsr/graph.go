package pcsr

// Graph is one encoded RDF graph.
type Graph struct{}
