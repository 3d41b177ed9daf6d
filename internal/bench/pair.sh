#!/usr/bin/env bash
# Compare two versions of rdfgpu over HTTP in one run, and let benchstat say what differs.
#
#   internal/bench/pair.sh OLD NEW DATA QUERIES [rdfgpu bench flags]
#   git worktree add /tmp/old 3b4f010 && (cd /tmp/old && go build -o rdfgpu ./cmd/rdfgpu) && go build -o bin/rdfgpu ./cmd/rdfgpu
#   internal/bench/pair.sh /tmp/old/rdfgpu bin/rdfgpu lubm10.nt lubm10/queries --budget 1s
#
# OLD and NEW are binaries; DATA is anything that both load, each into a store of its own, once, under $WORK (default
# .cache/pair/<name of DATA>). In each of $ROUNDS rounds (default 6) both servers are started anew and NEW's `rdfgpu bench` asks them in
# turn; which of them is asked first changes from round to round. They keep no answers, so that every query is run. A round's median of a query is one sample of benchstat.
set -euo pipefail

old=$(readlink -f "$1") new=$(readlink -f "$2") data=$(readlink -f "$3") queries=$(readlink -f "$4")
shift 4
cd "$(dirname "$0")/../.."
rdfgpu=$new name=$(basename "$data")
work=${WORK:-.cache/pair/${name%%.*}}
mkdir -p "$work"
work=$(cd "$work" && pwd)
source internal/bench/engines.sh

load() { # load VERSION BINARY
  [ -e "$work/$1/manifest.json" ] || "$2" load -q -o "$work/$1" "$data"
}

begin() { # begin VERSION BINARY PORT
  local keeps=()
  ! "$2" serve --help | grep -q -- --answer-cache || keeps=(--answer-cache 0)
  vacant "$3"
  "$2" serve "$work/$1" "${keeps[@]}" --addr "127.0.0.1:$3" >"$work/$1.log" 2>&1 &
  pids+=($!)
  await "http://127.0.0.1:$3/healthz"
}

load old "$old"
load new "$new"
: >"$work/old.txt"
: >"$work/new.txt"
endpoints=(-e old=http://127.0.0.1:17881/sparql -e new=http://127.0.0.1:17882/sparql)
for round in $(seq "${ROUNDS:-6}"); do
  begin old "$old" 17881
  begin new "$new" 17882
  "$new" bench "$queries" "${endpoints[@]}" --format csv "$@" >"$work/round.csv"
  for version in old new; do
    awk -F, -v v=$version '$1 == v && $5 > 0 { printf "BenchmarkHTTP/%s/%s 1 %.0f ns/op\n", $2, $3, $5 * 1e6 }' "$work/round.csv" >>"$work/$version.txt"
  done
  endpoints=("${endpoints[@]:2}" "${endpoints[@]:0:2}")
  stop
  pids=()
done
${GO:-go} tool benchstat "$work/old.txt" "$work/new.txt"
