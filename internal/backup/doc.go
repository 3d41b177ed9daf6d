// Package backup copies a store into another folder while it is being changed: the files of its segments, which never change
// once they are there, and the commits of its log that these do not have yet.
//
// Nouns: [Run] (one backup), [Report].
//
// A backup is a store that is marked as one, so it can be queried, verified and dumped, and nothing but the next backup
// changes it. That copies the segments that have come since, removes those that have gone, and appends the commits since the
// last one that it has. A backup that is interrupted leaves the one before, or a later state of it: segments and commits are
// brought first, the manifest that names them last.
//
// # Why
//
// The log is copied record by record, not file by file: the store appends to its last file meanwhile, and a copy could have what
// was written behind a place that was still empty when it was read, which looks like damage.
package backup
