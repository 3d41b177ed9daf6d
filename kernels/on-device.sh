#!/bin/bash
# on-device.sh [PART...]: runs in a bundle (bundle.sh) on a machine with a GPU. Parts: correct, sets, labelled, dense, ablation,
# lubm, updates, rmat, whole, summing, sanitize; all of them by default; and paged, graphs larger than the device, for ten minutes more. RDFGPU_LUBM universities (2560), RDFGPU_RMAT edges (100 million) and
# RDFGPU_STORE universities (100, for updates and whole) are generated. Tables are written as markdown to the folder $OUT. RDFGPU_WORK
# names a scratch folder to keep between runs.
set -u
cd "$(dirname "$0")"
here=$PWD
work=${RDFGPU_WORK:-}
if [ -z "$work" ]; then
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
fi
export OUT=${OUT:-$here/out} RDFGPU_DATA=$here/data RDFGPU_SM=$work/sm
export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:-}:/usr/local/nvidia/lib64
export RDFGPU_LUBM=${RDFGPU_LUBM:-2560} RDFGPU_RMAT=${RDFGPU_RMAT:-100000000}
mkdir -p "$OUT"
chmod +x gpu.test store.test rdfgpu
parts=${*:-correct sets labelled dense ablation lubm updates rmat whole summing sanitize}
bench() { ./gpu.test -test.timeout 9m -gpu 0 "$@" 2>&1 | grep -vE '^(=== |PASS$)'; }

if [ ! -e "$RDFGPU_SM/B.base" ] && [ -d sm ]; then
	mkdir -p "$RDFGPU_SM" && cp -r sm/. "$RDFGPU_SM/"
	(cd "$RDFGPU_SM" && g++ -O2 -std=c++17 gen.cpp -o gen && { ./gen A A.base & ./gen B B.base & wait; })
fi
for part in $parts; do
	echo "== $part ($(date +%T))"
	case $part in
	correct) bench -test.run 'Device(Matches|Stops|Runs|Patches|Weighs|Adds|Selects|Sifts|Looks)' -rapid.checks="${CHECKS:-3000}" -test.v ;;
	sets) bench -test.run DeviceAnswersTheDataSets -test.v ;;
	labelled) bench -test.run ReportLabelled ;;
	dense) bench -test.run 'Report(Dense|Published)' ;;
	ablation) bench -test.run 'Report(Ablation|Sharing|Tables|Signatures|Repeats|Mailbox)' ;;
	lubm) bench -test.run 'Report(LUBM|Parts)' ;;
	updates)
		bench -test.run ReportUpdates
		[ -d "$work/lubm.store" ] || ./rdfgpu generate lubm --scale "${RDFGPU_STORE:-100}" --load "$work/lubm.store"
		cp -r "$work/lubm.store" "$work/live.store"
		RDFGPU_LIVE=$work/live.store ./store.test -test.run UpdatesOnTheGPU -test.v | tee "$OUT/live.md"
		rm -r "$work/live.store" ;;
	paged)
		bench -test.run 'DeviceCounts|DeviceMatchesTriangles|DeviceAnswersInPages' -rapid.checks="${CHECKS:-300}"
		bench -test.run 'Report(OutOfCore|OutOfCoreLabelled|LUBMOutOfCore|CancelInPages)$'
		RDFGPU_SETS=A.u RDFGPU_RMAT=10000000 bench -test.run ReportOrders ;;
	rmat) bench -test.run 'Report(RMAT|Squares|Closures)' ;;
	whole)
		[ -d "$work/lubm.store" ] || ./rdfgpu generate lubm --scale "${RDFGPU_STORE:-100}" --load "$work/lubm.store"
		./end-to-end.sh "$work/lubm.store" data/lubm10/queries | tee "$OUT/whole.md" ;;
	summing) ./summing.sh ./rdfgpu summing ;;
	sanitize)
		for tool in memcheck racecheck; do
			echo "-- $tool"
			compute-sanitizer --tool $tool ./gpu.test -test.timeout 4m -gpu 0 -test.run 'Device(Matches|Patches|Adds|Selects|Sifts|Looks|Finds)' -rapid.checks="${SANITIZE:-20}" 2>&1 | tail -5
		done ;;
	esac
done 2>&1 | tee "$OUT/log.txt"
