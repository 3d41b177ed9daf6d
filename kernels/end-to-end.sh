#!/bin/bash
# end-to-end.sh STORE QUERIES: runs ./rdfgpu on both devices over a store, as a user would: every L*.rq of a folder with
# --time, the rows compared; explain --analyze; info --device; then the server, under `rdfgpu bench`. Markdown to $OUT/whole.md.
set -u
store=$1 queries=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
part() { grep -oE "$1 [0-9.]+ ms" "$2" | tail -1 | grep -oE '[0-9.]+'; }

mkdir "$scratch/queries"
cp "$queries"/L*.rq "$scratch/queries/"
echo "| query | rows | CPU: match ms | CPU: total ms | GPU: open ms | GPU: plan ms | upload ms | kernels ms | copy back ms | GPU: match ms | decode + write ms | GPU: total ms, opening left out |"
echo "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
for query in "$queries"/L*.rq; do
	name=$(basename "$query" .rq)
	for device in cpu gpu; do
		./rdfgpu query "$store" -f "$query" --device $device --format tsv --time >"$scratch/$device.tsv" 2>"$scratch/$device.time" ||
			echo "$name on $device FAILED: $(cat "$scratch/$device.time")"
		LC_ALL=C sort "$scratch/$device.tsv" | sha1sum >"$scratch/$device.sum"
	done
	printf '%s\t%d\n' "$name" $(($(wc -l <"$scratch/cpu.tsv") - 1)) >>"$scratch/queries/expected.tsv"
	cmp -s "$scratch/cpu.sum" "$scratch/gpu.sum" || echo "$name: ROWS DIFFER"
	g=$scratch/gpu.time c=$scratch/cpu.time
	echo "| $name | $(($(wc -l <"$scratch/gpu.tsv") - 1)) | $(part match "$c") | $(part total "$c") | $(part 'open device' "$g") | $(part plan "$g") | $(part upload "$g") | $(part kernels "$g") | $(part 'copy back' "$g") | $(part match "$g") | $(awk "BEGIN{print $(part decode "$g") + $(part write "$g")}") | $(awk "BEGIN{print $(part total "$g") - $(part 'open device' "$g")}") |"
done
for query in L1 L7; do
	printf '\n    rdfgpu explain --analyze --device gpu STORE -f %s.rq\n\n' $query
	./rdfgpu explain --analyze --device gpu "$store" -f "$queries/$query.rq" 2>&1 | sed 's/^/    /'
done
printf '\n    rdfgpu info --device STORE\n\n'
./rdfgpu info --device "$store" 2>&1 | sed 's/^/    /'

echo
DURATION=${DURATION:-5s} CONNECTIONS=${CONNECTIONS:-1,8,64} ./gpu-serve.sh ./rdfgpu "$store" "$scratch/queries" "$scratch/serve" 2>&1
