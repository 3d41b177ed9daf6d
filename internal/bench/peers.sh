#!/usr/bin/env bash
# Measure rdfgpu beside other engines over one data set, in one run.
#
#   peers.sh DATA.nt QUERIES [rdfgpu bench flags]
#   peers.sh DATA.nt                       # loads only
#
# Loads DATA.nt (N-Triples, unpacked) into each engine found, once, under $WORK (default .cache/peers/<name of DATA>),
# prints wall and processor time, peak memory and bytes on disk of each load, serves all of them on loopback and runs `rdfgpu bench QUERIES`.
# Further flags go to it: `peers.sh data.nt queries --forms tsv --connections 1,8,64,256 --duration 60s` puts them under load.
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
pids=()
endpoints=(-e "rdfgpu=http://127.0.0.1:17878/sparql")

stop() {
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  wait 2>/dev/null || true
}
trap stop EXIT

timed() { # timed LABEL COMMAND...: time and peak resident memory as the operating system counts it
  local label=$1
  shift
  /usr/bin/time -f "$label: %e s, %U + %S s of processor time, %M KiB peak" "$@" >"$work/$label.log" 2>"$work/$label.err" || { cat "$work/$label.err" >&2; return 1; }
  tail -1 "$work/$label.err"
}

await() { # await URL
  for _ in $(seq 600); do curl -s -o /dev/null "$1" && return; sleep 0.2; done
  echo "no answer from $1" >&2
  return 1
}

load_rdfgpu() {
  [ -e "$work/rdfgpu/manifest.json" ] || timed "rdfgpu-load" "$rdfgpu" load -q -o "$work/rdfgpu" "$data"
  echo "rdfgpu: $(du -sb "$work/rdfgpu" | cut -f1) bytes on disk"
}

load_oxigraph() {
  if [ ! -d "$work/oxigraph" ]; then
    timed "oxigraph-load" "$oxigraph" load -l "$work/oxigraph" -f "$data"
    timed "oxigraph-optimize" "$oxigraph" optimize -l "$work/oxigraph"
  fi
  echo "oxigraph: $(du -sb "$work/oxigraph" | cut -f1) bytes on disk"
}

virtuoso_ini() {
  cat <<INI
[Database]
DatabaseFile = $work/virtuoso/virtuoso.db
ErrorLogFile = $work/virtuoso/virtuoso.log
LockFile = $work/virtuoso/virtuoso.lck
TransactionFile = $work/virtuoso/virtuoso.trx
xa_persistent_file = $work/virtuoso/virtuoso.pxa
[TempDatabase]
DatabaseFile = $work/virtuoso/temp.db
TransactionFile = $work/virtuoso/temp.trx
[Parameters]
ServerPort = 127.0.0.1:17111
DisableUnixSocket = 1
NumberOfBuffers = 340000
MaxDirtyBuffers = 250000
DirsAllowed = /
ThreadsPerQuery = $(nproc)
CheckpointInterval = 0
[HTTPServer]
ServerPort = 127.0.0.1:17890
ServerThreads = 64
KeepAliveTimeout = 60
MaxKeepAlives = 300
[SPARQL]
DefaultGraph = http://bench
INI
}

processor() { # processor PID: seconds of processor time so far, start included
  awk -v tick="$(getconf CLK_TCK)" '{ sub(/.*\) /, ""); print $12 / tick " + " $13 / tick }' "/proc/$1/stat"
}

isql() { isql-vt 127.0.0.1:17111 dba dba exec="$1" >/dev/null; }

serve_virtuoso() {
  virtuoso_ini >"$work/virtuoso/virtuoso.ini"
  (cd "$work/virtuoso" && exec virtuoso-t -f -c "$work/virtuoso/virtuoso.ini" >/dev/null 2>&1) &
  pids+=($!)
  await http://127.0.0.1:17890/
}

load_virtuoso() {
  if [ ! -e "$work/virtuoso/loaded" ]; then
    rm -rf "$work/virtuoso" && mkdir -p "$work/virtuoso/input"
    ln "$data" "$work/virtuoso/input/data.nt" 2>/dev/null || cp "$data" "$work/virtuoso/input/data.nt"
    serve_virtuoso
    local start end
    start=$(date +%s.%N)
    isql "ld_dir('$work/virtuoso/input', 'data.nt', 'http://bench');"
    isql "rdf_loader_run();"
    isql "checkpoint;"
    end=$(date +%s.%N)
    echo "virtuoso-load: $(awk "BEGIN{print $end-$start}") s, $(processor "${pids[-1]}") s of processor time, $(awk '/VmHWM/{print $2}' "/proc/${pids[-1]}/status") KiB peak"
    touch "$work/virtuoso/loaded"
    rm -r "$work/virtuoso/input"
  else
    serve_virtuoso
  fi
  echo "virtuoso: $(du -sb "$work/virtuoso" | cut -f1) bytes on disk"
}

load_rdfgpu
if [ -z "$queries" ]; then
  [ -z "$oxigraph" ] || load_oxigraph
  ! command -v virtuoso-t >/dev/null || load_virtuoso
  exit
fi
"$rdfgpu" serve "$work/rdfgpu" --addr 127.0.0.1:17878 >"$work/rdfgpu.log" 2>&1 &
pids+=($!)
await http://127.0.0.1:17878/healthz
if command -v virtuoso-t >/dev/null; then
  load_virtuoso
  endpoints+=(-e "virtuoso=http://127.0.0.1:17890/sparql?default-graph-uri=http://bench")
fi
if [ -n "$oxigraph" ]; then
  load_oxigraph
  "$oxigraph" serve-read-only -l "$work/oxigraph" -b 127.0.0.1:17879 >/dev/null 2>&1 &
  pids+=($!)
  await http://127.0.0.1:17879/
  endpoints+=(-e "oxigraph=http://127.0.0.1:17879/query")
fi
"$rdfgpu" bench "$queries" "${endpoints[@]}" "$@"
