#!/usr/bin/env bash
# Measure how rdfgpu takes updates beside other engines, over one data set, in one run.
#
#   updates.sh DATA.nt [rdfgpu bench-updates flags]
#   updates.sh watdiv10m.nt --duration 20s --readers 4 --queries watdiv10m/queries --only L1.1,S1.1,F1.1
#
# Loads DATA.nt (N-Triples, or DATA.nt.gz) into each engine found, once, under $WORK (default .cache/updates/<name of DATA>),
# and serves copies of these stores on loopback, all at once; with $IN_PLACE the stores themselves. Prints, in this order and each part on its own line of
# headings: what an engine does on commit, as the system calls of 50 updates from one connection and of 400 from eight
# tell (needs strace); the tables of `rdfgpu bench-updates`, to which further flags go; INSERT WHERE of up to a million
# triples; PUT to the Graph Store endpoint of each file of $PUT (N-Triples); disk and memory, before and after.
# Engines: rdfgpu (bin/rdfgpu or $RDFGPU), virtuoso-t with isql-vt (Debian: virtuoso-opensource), oxigraph (cargo
# install oxigraph-cli, or pip install oxigraph; or $OXIGRAPH), Fuseki ($FUSEKI, the jar jena-fuseki-server of Maven
# Central; needs java). $ENGINES names those wanted, the first being the one that ratios refer to; $LIMIT bounds one
# request in seconds (default 600); $PORTS is what the numbers of all ports begin with (default 17; a port that is taken ends
# the run); $PARTS names the parts wanted (default: commit bench insert put).
# All engines run with what they have for durable commits: rdfgpu syncs, Virtuoso is told to sync its log (it does not
# by itself), Fuseki (TDB2) syncs its journal, Oxigraph has no such setting.
set -euo pipefail

data=$(readlink -f "$1")
shift
rdfgpu=$(readlink -f "${RDFGPU:-bin/rdfgpu}")
oxigraph=${OXIGRAPH:-$(command -v oxigraph || true)}
fuseki=${FUSEKI:-}
name=$(basename "${data%.gz}" .nt)
work=${WORK:-.cache/updates/$name}
mkdir -p "$work"
work=$(cd "$work" && pwd)
parts=" ${PARTS:-commit bench insert put} "
limit=${LIMIT:-600}
source "$(dirname "$0")/engines.sh"

declare -A update query store process
engines=()
for engine in ${ENGINES:-rdfgpu virtuoso oxigraph fuseki}; do
  case $engine in
    virtuoso) command -v virtuoso-t >/dev/null || continue ;;
    oxigraph) [ -n "$oxigraph" ] || continue ;;
    fuseki) [ -n "$fuseki" ] || continue ;;
  esac
  engines+=("$engine")
done

serve() { # serve ENGINE: a server over a copy of the loaded store, writable
  local folder=$live/$1
  [ "$live" = "$work" ] || cp -r "$work/$1" "$folder"
  case $1 in
    rdfgpu)
      vacant "${ports}878"
      "$rdfgpu" serve "$folder" --answer-cache 0 --writable --durability sync --timeout "${limit}s" --addr 127.0.0.1:${ports}878 >"$folder.log" 2>&1 &
      pids+=($!)
      await http://127.0.0.1:${ports}878/healthz
      update[$1]=http://127.0.0.1:${ports}878/update query[$1]=http://127.0.0.1:${ports}878/sparql store[$1]=http://127.0.0.1:${ports}878/store
      ;;
    oxigraph)
      vacant "${ports}879"
      "$oxigraph" serve -l "$folder" -b 127.0.0.1:${ports}879 >"$folder.log" 2>&1 &
      pids+=($!)
      await http://127.0.0.1:${ports}879/
      update[$1]=http://127.0.0.1:${ports}879/update query[$1]=http://127.0.0.1:${ports}879/query store[$1]=http://127.0.0.1:${ports}879/store
      ;;
    fuseki)
      vacant "${ports}880"
      java -Xmx4g -cp "$fuseki" org.apache.jena.fuseki.main.cmds.FusekiMainCmd --localhost --port "${ports}880" --tdb2 --update \
        --loc "$folder" /ds >"$folder.log" 2>&1 &
      pids+=($!)
      await http://127.0.0.1:${ports}880/ds/query
      update[$1]=http://127.0.0.1:${ports}880/ds/update query[$1]=http://127.0.0.1:${ports}880/ds/query store[$1]=http://127.0.0.1:${ports}880/ds/data
      ;;
    virtuoso)
      serve_virtuoso "$folder"
      isql "grant SPARQL_UPDATE to \"SPARQL\";"
      isql "DB.DBA.RDF_DEFAULT_USER_PERMS_SET ('nobody', 7);"
      isql "__dbf_set('dbf_log_fsync', 1);"
      update[$1]="http://127.0.0.1:${ports}890/sparql?default-graph-uri=http://bench"
      query[$1]=${update[$1]} store[$1]=http://127.0.0.1:${ports}890/sparql-graph-crud
      ;;
  esac
  process[$1]=${pids[-1]}
}

loaded() { # loaded ENGINE: its store is there, and no server on it
  "load_$1"
  if [ "$1" = virtuoso ]; then
    isql "shutdown;" || true
    wait "${pids[-1]}" || true
    unset 'pids[-1]'
  fi
}

count() { # count URL PATTERN
  curl -s --max-time "$limit" -H 'Accept: text/csv' --data-urlencode "query=SELECT (COUNT(*) AS ?c) WHERE { $2 }" "$1" | tail -1 | tr -d '"\r'
}

insert() { # insert ENGINE SUBJECT: one update of a triple
  curl -s --max-time "$limit" -o /dev/null -H 'Content-Type: application/sparql-update' \
    --data "INSERT DATA { <http://rdfgpu.example/bench/commit/$2> <http://rdfgpu.example/bench/commit> 1 }" "${update[$1]}"
}

calls() { # calls ENGINE CONNECTIONS UPDATES: the system calls that write or sync, while so many updates are sent
  local trace=$work/$1.strace senders=()
  strace -q -f -c -o "$trace" -e trace=fsync,fdatasync,msync,sync_file_range,write,writev,pwrite64,pwritev -p "${process[$1]}" 2>/dev/null &
  local tracer=$!
  sleep 1
  for c in $(seq "$2"); do
    (for i in $(seq $(($3 / $2))); do insert "$1" "$2-$c-$i"; done) &
    senders+=($!)
  done
  wait "${senders[@]}"
  kill -INT "$tracer"
  wait "$tracer" || true
  awk -v n="$3" '$NF ~ /sync/ && $4 + 0 { printf "%s%.2f %s", sep, $4 / n, $NF; sep = ", " } END { if (!sep) printf "none" }' "$trace"
}

commit() {
  echo "| engine | system calls that sync, for each update from 1 connection | from 8 |"
  echo "|---|---|---|"
  for e in "${engines[@]}"; do echo "| $e | $(calls "$e" 1 50) | $(calls "$e" 8 400) |"; done
}

insert_where() {
  echo "| engine | status | seconds | triples |"
  echo "|---|---|---|---|"
  for e in "${engines[@]}"; do
    local told
    told=$(curl -s --max-time "$limit" -o "$work/$e.answer" -w '%{http_code} | %{time_total}' -H 'Content-Type: application/sparql-update' --data \
      'INSERT { ?s <http://rdfgpu.example/bench/touched> ?o } WHERE { SELECT ?s ?o WHERE { ?s ?p ?o } LIMIT 1000000 }' "${update[$e]}") || true
    echo "| $e | $told | $(count "${query[$e]}" '?s <http://rdfgpu.example/bench/touched> ?o') |"
  done
}

put() { # put FILE
  local graph
  graph=http://rdfgpu.example/bench/put/$(basename "$1")
  for e in "${engines[@]}"; do
    local told
    told=$(curl -s --max-time "$limit" -o "$work/$e.answer" -w '%{http_code} | %{time_total}' -T "$1" -H 'Content-Type: application/n-triples' \
      "${store[$e]}?graph=$graph") || true
    echo "| $(basename "$1") | $e | $told | $(count "${query[$e]%\?*}" "GRAPH <$graph> { ?s ?p ?o }") |"
  done
}

sizes() {
  echo "| engine | MB on disk | MiB resident | MiB at most |"
  echo "|---|---:|---:|---:|"
  for e in "${engines[@]}"; do
    awk -v e="$e" -v disk="$(du -sb "$live/$e" | cut -f1)" '/VmRSS/ { rss = $2 } /VmHWM/ { most = $2 }
      END { printf "| %s | %.1f | %.0f | %.0f |\n", e, disk / 1e6, rss / 1024, most / 1024 }' "/proc/${process[$e]}/status"
  done
}

part() { [[ $parts == *" $1 "* ]]; }

for e in "${engines[@]}"; do loaded "$e"; done
live=$work
[ -n "${IN_PLACE:-}" ] || { live=$work/live && rm -rf "$live" && mkdir "$live"; }
endpoints=()
for e in "${engines[@]}"; do
  serve "$e"
  endpoints+=(-e "$e=${update[$e]},${query[$e]}")
done
printf '\nBefore:\n\n' && sizes
! part commit || ! command -v strace >/dev/null || { printf '\nOn commit:\n\n' && commit; }
! part bench || { printf '\nUpdates:\n\n' && "$rdfgpu" bench-updates "${endpoints[@]}" "$@" || true; printf '\nAfter them:\n\n' && sizes; }
! part insert || { printf '\nINSERT WHERE:\n\n' && insert_where; printf '\nAfter it:\n\n' && sizes; }
if part put && [ -n "${PUT:-}" ]; then
  printf '\nPUT:\n\n| file | engine | status | seconds | triples |\n|---|---|---|---|---|\n'
  for file in $PUT; do put "$(readlink -f "$file")"; done
  printf '\nAfter it:\n\n' && sizes
fi
