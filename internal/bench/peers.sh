#!/usr/bin/env bash
# Measure rdfgpu beside other engines over one data set, in one run.
#
#   peers.sh DATA.nt QUERIES [rdfgpu bench flags]
#   peers.sh DATA.nt                       # loads only
#
# Loads DATA.nt (N-Triples, unpacked) into each engine found, once, under $WORK (default .cache/peers/<name of DATA>),
# prints wall and processor time, peak memory and bytes on disk of each load, serves all of them on loopback and runs `rdfgpu bench QUERIES`.
# rdfgpu keeps no answers here (--answer-cache 0): every query is run. Further flags go to it: `peers.sh data.nt queries --forms tsv --connections 1,8,64,256 --duration 60s` puts them under load.
# Engines: rdfgpu (bin/rdfgpu or $RDFGPU), virtuoso-t with isql-vt (Debian: virtuoso-opensource), oxigraph (cargo
# install oxigraph-cli, or pip install oxigraph; or $OXIGRAPH).
set -euo pipefail

data=$(readlink -f "$1") queries=${2:-}
shift $(($# > 1 ? 2 : 1))
rdfgpu=$(readlink -f "${RDFGPU:-bin/rdfgpu}")
oxigraph=${OXIGRAPH:-$(command -v oxigraph || true)}
name=$(basename "$data" .nt)
work=${WORK:-.cache/peers/$name}
mkdir -p "$work"
work=$(cd "$work" && pwd)
source "$(dirname "$0")/engines.sh"
endpoints=(-e "rdfgpu=http://127.0.0.1:${ports}878/sparql")

load_rdfgpu
if [ -z "$queries" ]; then
  [ -z "$oxigraph" ] || load_oxigraph
  ! command -v virtuoso-t >/dev/null || load_virtuoso
  exit
fi
vacant "${ports}878"
"$rdfgpu" serve "$work/rdfgpu" --answer-cache 0 --addr 127.0.0.1:${ports}878 >"$work/rdfgpu.log" 2>&1 &
pids+=($!)
await http://127.0.0.1:${ports}878/healthz
if command -v virtuoso-t >/dev/null; then
  load_virtuoso
  endpoints+=(-e "virtuoso=http://127.0.0.1:${ports}890/sparql?default-graph-uri=http://bench")
fi
if [ -n "$oxigraph" ]; then
  load_oxigraph
  vacant "${ports}879"
  "$oxigraph" serve-read-only -l "$work/oxigraph" -b 127.0.0.1:${ports}879 >/dev/null 2>&1 &
  pids+=($!)
  await http://127.0.0.1:${ports}879/
  endpoints+=(-e "oxigraph=http://127.0.0.1:${ports}879/query")
fi
"$rdfgpu" bench "$queries" "${endpoints[@]}" "$@"
