// Package store keeps a data set in a folder: which files it consists of, how a new set of them takes the place of the
// old one in one step, and whether they are whole.
//
// Nouns: [Store] (an open data set, read-only, shared by any number of goroutines), [Load] (the folder of a data set
// that is being written; commits or leaves no trace), [Manifest] (what manifest.json says).
//
// A store looks like this:
//
//	manifest.json         names the generation, its files, counts and checksums; replaced by rename, last of all
//	gen-000001/           terms.dict values.dict hash.dict default.pcsr graph-000000.pcsr …
//	lock                  held by the process that loads; readers never look at it
//	queries/              example queries (*.rq), if any; they belong to no generation
//
// A generation is never changed once its manifest is there. A load writes the next generation beside the one in use;
// what a killed load leaves behind is a generation that no manifest names, and the next load removes it.
// The package knows nothing of triples: the loader fills the files, dictionary and pcsr read them.
package store
