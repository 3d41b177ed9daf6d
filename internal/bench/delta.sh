#!/usr/bin/env bash
# Measure what changes cost queries before they are in a store's files, and print the tables of docs/BENCHMARKS-UPDATE.md.
#
#   internal/bench/delta.sh DATA.nt QUERIES [flags]
#   internal/bench/delta.sh watdiv10m.nt watdiv10m/queries -shares 0,0.001,0.01,0.04 -only L1.nz1,S1.nz1,F1.nz1,C1.1
#   internal/bench/delta.sh lubm10.nt lubm10/queries -only L1,L2,L4,L5,L6,L7
#   internal/bench/delta.sh watdiv10m.nt watdiv10m/queries -shares "" -first 0 -log 0      # reads beside writes alone
#
# Prints, in this order: query times by share of the triples in the delta, flushed and compacted, and what a change takes of memory, log
# and files (-shares); the first query after an update (-first); queries beside writers, a flush and a compaction (-beside); the time to
# open a store with a long log (-log).
# DATA.nt is N-Triples, unpacked. A delta of more than a million changes is flushed by itself: shares that make one say so.
# Needs Go and, under $WORK (default .cache/delta), five times the size of DATA.nt. Progress goes to standard error, the
# tables to standard output. -h lists the flags.
set -euo pipefail

data=$(readlink -f "$1") queries=$(readlink -f "$2")
shift 2
cd "$(dirname "$0")/../.."
work=${WORK:-.cache/delta}
mkdir -p "$work"
${GO:-go} build -o "$work/delta" ./internal/bench/delta
trap 'rm -rf "$work"/*.nt "$work"/*.store' EXIT
"$work/delta" -dir "$work" "$@" "$data" "$queries"
