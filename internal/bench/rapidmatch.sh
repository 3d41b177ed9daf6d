#!/usr/bin/env bash
# Count the embeddings of patterns with rdfgpu and with RapidMatch (Sun, Sun, Che, Luo, He; VLDB 2021) in turn.
#
#   rapidmatch.sh DATA.nt QUERIES.rq...
#
# DATA.nt (N-Triples, unpacked) has undirected edges of one predicate, each in both directions, and at most one class of each vertex; queries have a triple a
# line. Both are written as RapidMatch reads them (t vertices edges; v number label degree; e from to) under $WORK (default .cache/rapidmatch).
# $RAPIDMATCH is a clone of github.com/RapidsAtHKUST/RapidMatch; it is built three times, as its README has it for large queries (failing sets), for small
# ones (cached intersections, QFilter's bitmaps; isomorphism), and for small ones without the bitmaps. It has one thread and loads a graph in front of each query; its
# time is what it calls the query's, without loading. rdfgpu serves on one thread and on all; its time is curl's, with a text it has not seen.
# Medians of $N runs (default 3), ms; a run of either ends after $LIMIT s (default 30). Sets: $LABELLED=1 has RapidMatch test classes.
set -euo pipefail

data=$(readlink -f "$1")
shift
rdfgpu=$(readlink -f "${RDFGPU:-bin/rdfgpu}")
work=${WORK:-.cache/rapidmatch}
mkdir -p "$work"
source "$(dirname "$0")/engines.sh"

# build NAME SED... makes RapidMatch with an edited configuration.
build() {
  local into=$work/$1
  [ -x "$into/build/matching/RapidMatch.out" ] && return
  rm -rf "$into" && cp -r "${RAPIDMATCH:?a clone of RapidMatch}" "$into"
  sed -i -e "$2" "$into/configuration/config.h"
  mkdir -p "$into/build"
  (cd "$into/build" && cmake .. && make RapidMatch.out) >"$work/$1.log" 2>&1
}
small='s@^#define FAILING_SET_PRUNING@// &@; s@^// \(#define INTERSECTION_CACHE\)@\1@'
build large ''
build small "$small; s@^// \\(#define SPARSE_BITMAP\\)@\\1@"
build cached "$small"

# graph: numbers vertices as they come, forgets the other direction of edges.
if [ ! -s "$work/data.graph" ]; then
  awk '
    BEGIN { n = m = 0 }
    function number(v) { if (!(v in at)) { at[v] = n; n++ } return at[v] }
    $2 ~ /[#]type>$/ { class = $3; gsub(/[^0-9]/, "", class); label[number($1)] = class; next }
    { a = number($1); b = number($3); if (a < b) { from[m] = a; to[m] = b; m++; degree[a]++; degree[b]++ } }
    END {
      print "t", n + 0, m + 0
      for (i = 0; i < n; i++) print "v", i, '"${LABELLED:-0}"' ? label[i] + 0 : 0, degree[i] + 0
      for (i = 0; i < m; i++) print "e", from[i], to[i]
    }' "$data" >"$work/data.graph"
fi
# pattern FILE: the same of a query.
pattern() {
  awk '
    BEGIN { n = m = 0 }
    function number(v) { if (!(v in at)) { at[v] = n; n++ } return at[v] }
    $1 ~ /^[?]/ && $2 == "a" { class = $3; sub(/.*L/, "", class); label[number($1)] = class; next }
    $1 ~ /^[?]/ { from[m] = number($1); to[m] = number($3); degree[from[m]]++; degree[to[m]]++; m++ }
    END {
      print "t", n, m
      for (i = 0; i < n; i++) print "v", i, label[i] + 0, degree[i]
      for (i = 0; i < m; i++) print "e", from[i], to[i]
    }' "$1"
}

[ -d "$work/store" ] || "$rdfgpu" load --store "$work/store" "$data" >&2
serve() {
  vacant "$1"
  "$rdfgpu" serve "$work/store" --answer-cache 0 --addr "127.0.0.1:$1" --timeout "${LIMIT:-30}s" "${@:2}" >"$work/$1.log" 2>&1 &
  pids+=($!)
  await "http://127.0.0.1:$1/healthz"
}
serve ${ports}878 --threads 1
serve ${ports}879

# Each prints the time in ms and the count, or a dash where the run did not end.
ours() {
  local answer text
  text="$(sed -E 's/SELECT .* WHERE/SELECT (COUNT(*) AS ?n) WHERE/' "$2") # $RANDOM$RANDOM"
  answer=$(curl -s -G "http://127.0.0.1:$1/sparql" -H 'Accept: text/csv' -d semantics=isomorphism -d device=cpu --data-urlencode "query=$text" \
    -w '\n%{http_code} %{time_total}')
  awk '{ line[NR] = $0 } END { split(line[NR], t, " "); if (t[1] == 200) printf "%.3f %s\n", 1000 * t[2], line[2]; else print "- -" }' <<<"${answer//$'\r'/}"
}
theirs() {
  timeout $((2 * ${LIMIT:-30})) "$work/$1/build/matching/RapidMatch.out" -d "$work/data.graph" -q "$2" -order nd -preprocess true -num MAX -time_limit "${LIMIT:-30}" |
    awk -v limit="${LIMIT:-30}" '/^Query time/ { t = $NF } /^#Embeddings/ { n = $NF } END { if (t && t < limit) printf "%.3f %s\n", 1000 * t, n; else print "- -" }'
}
# median FILE: of the times; the counts must agree.
median() {
  sort -g "$1" | awk '{ t[NR] = $1; if ($1 != "-") n[$2] } END { c = "-"; for (x in n) c = c == "-" ? x : c "!=" x; print t[int((NR + 1) / 2)], c }'
}

echo '| query | solutions | RapidMatch, large | small | small, no bitmaps | rdfgpu, 1 thread | all threads | best of RapidMatch / 1 | / all |'
echo '|---|---:|---:|---:|---:|---:|---:|---:|---:|'
for query in "$@"; do
  pattern "$query" >"$work/query.graph"
  rm -f "$work"/times.*
  for _ in $(seq "${N:-3}"); do
    for with in large small cached; do
      theirs $with "$work/query.graph" >>"$work/times.$with"
    done
    ours ${ports}878 "$query" >>"$work/times.one"
    ours ${ports}879 "$query" >>"$work/times.two"
  done
  for who in large small cached one two; do
    median "$work/times.$who"
  done | awk -v name="$(basename "$query" .rq)" '
    { t[NR] = $1; if ($2 != "-") n[$2] }
    END {
      for (x in n) c = c == "" ? x : c " or " x
      best = "-"
      for (i = 1; i <= 3; i++) if (t[i] != "-" && (best == "-" || t[i] < best)) best = t[i]
      printf "| %s | %s |", name, c
      for (i = 1; i <= 5; i++) printf t[i] == "-" ? " - |" : " %.4g |", t[i]
      for (i = 4; i <= 5; i++) printf best == "-" || t[i] == "-" ? " - |" : " %.3g |", best / t[i]
      print ""
    }'
done
