// Package store keeps a data set in a folder: which files it consists of, how a new set of them takes the place of the
// old one in one step, and whether they are whole.
//
// Nouns: [Store] (an open data set, read-only, shared by any number of goroutines), [Load] (the folder of a segment
// that is being written; commits or leaves no trace), [Manifest] (what manifest.json says), [Segment] (the terms and
// triples that no segment before it has; the first is the base).
//
// A store looks like this:
//
//	manifest.json         names the segments, their files, counts and checksums; replaced by rename, last of all
//	gen-000001/           the base: terms.dict values.dict hash.dict default.pcsr graph-000000.pcsr …
//	gen-000004/           a segment that was added, likewise
//	lock                  held by the process that loads; readers never look at it
//	queries/              example queries (*.rq), if any; they belong to no segment
//	webhooks/             what a server keeps of its webhooks, if any, which is none of this package's business
//
// A segment is never changed once the manifest names it. A load writes a segment beside those in use, and a manifest
// that names it, alone or after some of those; what a killed load leaves behind is a segment that no manifest names, and
// the next load removes it.
// The package knows nothing of triples: the loader fills the files, dictionary and pcsr read them.
package store
