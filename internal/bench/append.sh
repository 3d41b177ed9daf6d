#!/usr/bin/env bash
# Measure what it costs to add to a store, and what queries cost then, and print the tables of docs/BENCHMARKS-SCALE.md.
#
#   internal/bench/append.sh            # LUBM of 10 M triples
#   SCALE=8 internal/bench/append.sh    # of 1 M
#
# The text is split into a part that is loaded and one that is appended: its last lines (new departments with their
# people), or lines at random (triples of people who are there). Needs Go, bash and awk, 2 GiB of memory and, for 10 M
# triples, 6 GB of disk under $WORK (default .cache/append). Progress goes to standard error, the tables to standard
# output.
set -euo pipefail

cd "$(dirname "$0")/../.."
go=${GO:-go} scale=${SCALE:-76} memory=${MEMORY:-2GiB} queries=${QUERIES:-testdata/scale/lubm}
mkdir -p "${WORK:-.cache/append}"
work=$(cd "${WORK:-.cache/append}" && pwd)
rdfgpu=$work/rdfgpu
$go build -o "$rdfgpu" ./cmd/rdfgpu
$go build -o "$work/scale" ./internal/bench/scale
trap 'rm -rf "$work"/*.nt "$work"/*.store' EXIT

# measured NAME COMMAND...: runs a command that reports as JSON, and keeps the report and user, system and wall seconds.
TIMEFORMAT='%U %S %R'
measured() {
  local name=$1
  shift
  echo "append.sh: $name" >&2
  { time "$@" >"$work/$name.json"; } 2>"$work/$name.time"
}
field() { awk -F'[:,]' -v key="\"$2\"" '$1 ~ key { print $2 + 0; exit }' "$work/$1.json"; }
row() { # row TITLE NAME
  awk -v title="$1" -v added="$(field "$2" added)" -v written="$(field "$2" writtenBytes)" -v segments="$(field "$2" segments)" \
    '{ printf "| %s | %d | %.2f | %.2f | %.1f | %d |\n", title, added, $1 + $2, $3, written / 1e6, segments }' "$work/$2.time"
}

"$rdfgpu" generate lubm --scale "$scale" -o "$work/all.nt" 2>/dev/null
lines=$(wc -l <"$work/all.nt")
measured everything "$rdfgpu" load -q --json --memory "$memory" -o "$work/everything.store" "$work/all.nt"

echo "| | triples added | processor s | wall s | MB written | segments |"
echo "|---|---|---|---|---|---|"
row "load of everything" everything
for case in last:100 last:10000 random:100 random:10000; do
  kind=${case%:*} part=${case#*:} name=${case/:/-}
  if [ "$kind" = last ]; then
    head -n $((lines - lines / part)) "$work/all.nt" >"$work/base.nt"
    tail -n $((lines / part)) "$work/all.nt" >"$work/more.nt"
  else
    awk -v part="$part" -v base="$work/base.nt" -v more="$work/more.nt" \
      'BEGIN { srand(1) } { print > (rand() * part < 1 ? more : base) }' "$work/all.nt"
  fi
  "$rdfgpu" load -q --memory "$memory" -o "$work/$name.store" "$work/base.nt"
  measured "$name" "$rdfgpu" load -q --json --memory "$memory" -o "$work/$name.store" --append "$work/more.nt"
  row "append: 1 of $part lines, $([ "$kind" = last ] && echo the last || echo at random)" "$name"
done
cp -r "$work/random-100.store" "$work/compacted.store"
measured compact "$rdfgpu" compact -q --json --memory "$memory" "$work/compacted.store"
row "compact after 1 of 100 lines at random" compact

# Queries: the first run in a new process (the least of five, with the pages in memory, counting the rows), and the median
# of later ones in one process (writing them).
first() { # first STORE QUERY: milliseconds
  for _ in 1 2 3 4 5; do "$rdfgpu" query --count --time "$1" -f "$2" 2>&1 >/dev/null; done |
    awk '{ for (i = 1; i < NF; i++) if ($i == "total" && (!least || $(i + 1) < least)) least = $(i + 1) } END { printf "%.3g", least }'
}
stores="compacted last-10000 random-10000 last-100 random-100"
echo
echo "| first run, later runs, ms | rows |$(for s in $stores; do printf ' %s |' "$s"; done)"
echo "|---|---|$(for _ in $stores; do printf -- '---|'; done)"
for store in $stores; do
  echo "append.sh: queries over $store" >&2
  "$work/scale" probe "$work/$store.store" "$queries" | tr '{' '\n' | awk -F'[:,"]+' '$2 == "Name" {
    for (i = 2; i < NF; i += 2) value[$i] = $(i + 1)
    printf "%s\t%s\t%.3g\n", value["Name"], value["Rows"], value["Warm"] }' |
    while IFS=$'\t' read -r name rows later; do
      printf '%s\t%s\t%s, %s\n' "$name" "$rows" "$(first "$work/$store.store" "$queries/$name.rq")" "$later"
    done
done | awk -F'\t' '
  !($1 in rows) { rows[$1] = $2; names[++n] = $1 }
  { cell[$1] = cell[$1] " " $3 " |" }
  END { for (i = 1; i <= n; i++) printf "| %s | %s |%s\n", names[i], rows[names[i]], cell[names[i]] }'
