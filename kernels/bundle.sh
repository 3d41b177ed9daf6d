#!/bin/sh
# bundle.sh [FOLDER]: packs into FOLDER (.bundle) what a machine with a GPU needs to test and measure the matcher:
# the test binaries and rdfgpu with the kernels inside, the scripts that run there, and the inputs that RDFGPU_DATA (data sets) and
# RDFGPU_SM (labelled graphs and peers' times) name. `make gpu-bundle` calls it.
set -eu
out=${1:-.bundle}
mkdir -p "$out"
CGO_ENABLED=1 CGO_LDFLAGS="-L$PWD/kernels" ${GO:-go} test -tags cuda -c -ldflags '-s -w' -o "$out/gpu.test" ./exec/match/gpu
CGO_ENABLED=1 CGO_LDFLAGS="-L$PWD/kernels" ${GO:-go} test -tags cuda -c -ldflags '-s -w' -o "$out/store.test" .
CGO_ENABLED=1 CGO_LDFLAGS="-L$PWD/kernels" ${GO:-go} build -tags cuda -ldflags '-s -w' -o "$out/rdfgpu" ./cmd/rdfgpu
cp kernels/on-device.sh kernels/end-to-end.sh kernels/summing.sh internal/bench/gpu-serve.sh "$out/"
mkdir -p "$out/summing" && cp testdata/summing/*.rq "$out/summing/"
# The largest set is left out: the smaller one of the same generator has the same queries.
if [ -n "${RDFGPU_DATA:-}" ]; then
	mkdir -p "$out/data"
	for set in "$RDFGPU_DATA"/*/; do
		case $set in *watdiv10m/) continue ;; esac
		cp -rL "$set" "$out/data/"
	done
fi
if [ -n "${RDFGPU_SM:-}" ]; then
	mkdir -p "$out/sm"
	cp -rL "$RDFGPU_SM"/queries "$RDFGPU_SM"/*.h "$RDFGPU_SM"/*.cpp "$RDFGPU_SM"/*.tsv "$RDFGPU_SM"/*.txt "$out/sm/"
fi
chmod -R u+w "$out"
du -sh "$out"
