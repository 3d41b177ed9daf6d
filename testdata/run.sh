#!/usr/bin/env bash
# run.sh BIN STORE: load the Nomisma data set into STORE (once) and answer the queries beside it.
set -euo pipefail
bin=$1 store=$2
here=$(cd "$(dirname "$0")" && pwd)/nomisma

if [ ! -e "$store/manifest.json" ]; then
  echo "\$ rdfgpu load -o $store testdata/nomisma/nomisma.nt.zst"
  "$bin" load -o "$store" "$here/nomisma.nt.zst"
  mkdir -p "$store/queries" && cp "$here"/queries/*.rq "$store/queries/"
fi
for query in 1-mints-on-a-map 2-rulers-of-rome; do
  echo
  echo "\$ rdfgpu query $store -f testdata/nomisma/queries/$query.rq | head"
  "$bin" query "$store" -f "$here/queries/$query.rq" --format table --time | sed -n 1,9p
done
echo
echo "solutions of every query, and whether Oxigraph found as many:"
while IFS=$'\t' read -r name count; do
  case $name in '#'*) continue ;; esac
  got=$("$bin" query "$store" -f "$here/queries/$name.rq" --count)
  if [ "$got" = "$count" ]; then verdict=same; else verdict="DIFFERENT: $count expected"; failed=1; fi
  printf '  %-28s %8s  %s\n' "$name" "$got" "$verdict"
done < "$here/expected.tsv"
cat <<EOF

Next:
  $bin query $store 'SELECT ?class (COUNT(*) AS ?n) { ?s a ?class } GROUP BY ?class ORDER BY DESC(?n) LIMIT 5'
  $bin explain $store -f testdata/nomisma/queries/5-colleagues.rq --analyze
  $bin query $store -f testdata/nomisma/queries/5-colleagues.rq --semantics isomorphism --count
  $bin serve $store        # then open http://127.0.0.1:7878/
EOF
exit "${failed:-0}"
