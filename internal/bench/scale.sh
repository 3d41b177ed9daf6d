#!/usr/bin/env bash
# Measure how loading, opening and querying grow with the size of a graph, and print the tables of
# docs/BENCHMARKS-SCALE.md.
#
#   internal/bench/scale.sh                     # 1, 10 and 100 M triples of LUBM and WatDiv, and one load that spills
#   internal/bench/scale.sh lubm:75@2GiB ...    # these graphs: GRAPH:SCALE@MEMORY
#
# Needs Go, and for all of it 8 GiB of memory and 8 GB of disk under $WORK (default .cache/scale). Progress goes to
# standard error, the tables to standard output, everything that was measured to $WORK/results.json.
#
# The queries are those of testdata/scale, or, where RDFGPU_DATA names the folder of the benchmarks' data sets, the
# published ones of LUBM (L1 to L7) and WatDiv (L, S, F and C, those instances that have answers).
set -euo pipefail

cd "$(dirname "$0")/../.."
go=${GO:-go}
work=${WORK:-.cache/scale}
mkdir -p "$work/bin"
$go build -o "$work/bin/rdfgpu" ./cmd/rdfgpu
$go build -o "$work/bin/scale" ./internal/bench/scale

lubm=testdata/scale/lubm watdiv=testdata/scale/watdiv
if [ -d "${RDFGPU_DATA:-}/lubm10/queries" ] && [ -d "${RDFGPU_DATA:-}/watdiv10m/queries" ]; then
  lubm=$work/queries/lubm watdiv=$work/queries/watdiv
  rm -rf "$work/queries"
  mkdir -p "$lubm" "$watdiv"
  cp "$RDFGPU_DATA"/lubm10/queries/L[1-7].rq "$lubm"
  for template in L{1..5} S{1..7} F{1..5}; do cp "$RDFGPU_DATA/watdiv10m/queries/$template.nz1.rq" "$watdiv/$template.rq"; done
  for template in C{1..3}; do cp "$RDFGPU_DATA/watdiv10m/queries/$template.1.rq" "$watdiv/$template.rq"; done
fi

[ $# -gt 0 ] || set -- lubm:8@2GiB lubm:75@2GiB lubm:730@8GiB lubm:730@4GiB watdiv:9@2GiB watdiv:92@2GiB watdiv:920@8GiB
exec "$work/bin/scale" -rdfgpu "$work/bin/rdfgpu" -dir "$work" -queries "lubm=$lubm" -queries "watdiv=$watdiv" "$@"
