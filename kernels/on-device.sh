#!/bin/bash
# on-device.sh [PART...]: runs in a bundle (bundle.sh) on a machine with a GPU. Parts: correct, sets, labelled, ablation,
# lubm, rmat, sanitize; all of them by default. RDFGPU_LUBM
# universities (2560) and RDFGPU_RMAT edges (100 million) are generated. Tables are written as markdown to the folder $OUT.
set -u
cd "$(dirname "$0")"
here=$PWD
export OUT=${OUT:-$here/out} RDFGPU_DATA=$here/data RDFGPU_SM=/tmp/rdfgpu-sm
export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:-}:/usr/local/nvidia/lib64
export RDFGPU_LUBM=${RDFGPU_LUBM:-2560} RDFGPU_RMAT=${RDFGPU_RMAT:-100000000}
mkdir -p "$OUT"
chmod +x gpu.test
parts=${*:-correct sets labelled ablation lubm rmat sanitize}
bench() { ./gpu.test -test.timeout 9m -gpu 0 "$@" 2>&1 | grep -vE '^(=== |PASS$)'; }

if [ ! -e "$RDFGPU_SM/B.base" ] && [ -d sm ]; then
	mkdir -p "$RDFGPU_SM" && cp -r sm/. "$RDFGPU_SM/"
	(cd "$RDFGPU_SM" && g++ -O2 -std=c++17 gen.cpp -o gen && { ./gen A A.base & ./gen B B.base & wait; })
fi
for part in $parts; do
	echo "== $part ($(date +%T))"
	case $part in
	correct) bench -test.run 'Device(Matches|Stops|Runs)' -rapid.checks="${CHECKS:-3000}" -test.v ;;
	sets) bench -test.run DeviceAnswersTheDataSets -test.v ;;
	labelled) bench -test.run ReportLabelled ;;
	ablation) bench -test.run ReportAblation ;;
	lubm) bench -test.run ReportLUBM ;;
	rmat) bench -test.run ReportRMAT ;;
	sanitize)
		for tool in memcheck racecheck; do
			echo "-- $tool"
			compute-sanitizer --tool $tool ./gpu.test -test.timeout 4m -gpu 0 -test.run DeviceMatches -rapid.checks="${SANITIZE:-60}" 2>&1 | tail -5
		done ;;
	esac
done 2>&1 | tee "$OUT/log.txt"
