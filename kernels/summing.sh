#!/bin/bash
# summing.sh RDFGPU QUERIES: numbers of groups (SUM, AVG, MIN, MAX) and the first rows by a number on the GPU, the processor and as auto chooses, over HTTP: an R-MAT graph of 2^SCALE vertices (20)
# and 16 times as many edges, in 16 classes, each vertex with an integer, a decimal and a date. Says whether the answers are the same, and what the device did. Markdown to
# $OUT/summing.md. PORT (17980) and STORE may be set; a STORE that is there is used.
set -u
program=$1 queries=$2 scale=${SCALE:-20} port=${PORT:-17980}
scratch=$(mktemp -d)
store=${STORE:-$scratch/sums.store}
out=${OUT:-.}/summing.md
trap 'rm -rf "$scratch"' EXIT

numbers() { # the integers, decimals and dates of all vertices
  awk -v n=$((1 << scale)) 'BEGIN {
    x = 1
    for (i = 0; i < n; i++) {
      x = (x * 16807) % 2147483647
      v = "<http://example.org/graph/v" i "> <http://example.org/graph/"
      print v "worth> \"" x % 200003 - 1000 "\"^^<http://www.w3.org/2001/XMLSchema#integer> ."
      print v "share> \"" int(x / 1000) % 1000 "." x % 90 + 10 "\"^^<http://www.w3.org/2001/XMLSchema#decimal> ."
      printf "%sborn> \"%d-%02d-%02d\"^^<http://www.w3.org/2001/XMLSchema#date> .\n", v, 1900 + int(x / 7) % 120, 1 + int(x / 11) % 12, 1 + int(x / 13) % 28
    }
  }'
}

if [ ! -e "$store" ]; then
  { "$program" generate rmat --scale "$scale" --classes 16 -o - && numbers; } | "$program" load -q -o "$store" --format ntriples - || exit 1
fi
{
  trap 'kill $server 2>/dev/null' EXIT
  for name in "$queries"/*.rq; do
    for device in gpu cpu; do
      "$program" query "$store" -f "$name" --device $device --format tsv 2>"$scratch/$device.err" | LC_ALL=C sort >"$scratch/$device.tsv"
    done
    cmp -s "$scratch/gpu.tsv" "$scratch/cpu.tsv" && [ -s "$scratch/cpu.tsv" ] || echo "$(basename "$name"): ROWS DIFFER $(cat "$scratch"/*.err)"
  done
  "$program" serve "$store" --answer-cache 0 --addr 127.0.0.1:$port >"$scratch/server.log" 2>&1 &
  server=$!
  for _ in $(seq 100); do (exec 3<>/dev/tcp/127.0.0.1/$port) 2>/dev/null && break; sleep 0.1; done
  url=http://127.0.0.1:$port/sparql
  "$program" bench "$queries" -e gpu=$url?device=gpu -e cpu=$url?device=cpu -e auto=$url?device=auto --forms tsv -n 5 --timeout 15s --budget 2s
  for query in s1 s3 s6 t1 t3 t4 u1 u5 u7 j1 j2 j3 j6 k2 k3 k5 k7 k8 k9; do
    printf '\n    rdfgpu explain --analyze --device gpu STORE -f %s\n\n' $query
    "$program" explain --analyze --device gpu "$store" -f "$queries"/$query-*.rq 2>&1 | sed 's/^/    /'
  done
} 2>&1 | tee "$out"
