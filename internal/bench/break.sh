#!/usr/bin/env bash
# Break loads and stores in every way that docs/BENCHMARKS-SCALE.md tells of, and print its table.
#
#   internal/bench/break.sh [CAMPAIGN ...]      # default: all
#
#   kills    SIGKILL of loads, appends and compactions, and files that may not grow (loader's and internal/store's tests)
#   damage   bytes of files changed, zeroed or cut, also while queries run (the damage test)
#   spilled  SIGKILL of a load, an append and a compaction that spill (--memory 64MiB --tmp)
#   full     a load, an append and a compaction on a file system with a random amount of room (tmpfs; needs root or
#            user namespaces, and says so where it has neither)
#
# TIMES (default 100) is how often each thing is tried, SEED (default: the time) where the random moments begin. Needs
# Go and bash; works under $WORK (default .cache/break), which takes 1 GB. The exit code is 1 where a store was neither
# the old nor the new one, verify did not pass, or something was left behind.
set -uo pipefail

cd "$(dirname "$0")/../.." || exit 2
go=${GO:-go} times=${TIMES:-100} failures=0
RANDOM=${SEED:-$(date +%s)}
mkdir -p "${WORK:-.cache/break}"
work=$(cd "${WORK:-.cache/break}" && pwd)
rdfgpu=$work/rdfgpu
$go build -o "$rdfgpu" ./cmd/rdfgpu || exit 2

row() { printf '| %s | %s | %s |\n' "$@"; }
a() { case $1 in load) echo 'a load' ;; append) echo 'an append' ;; compact) echo 'a compaction' ;; esac; }
fail() { echo "FAIL: $*" >&2; failures=$((failures + 1)); }

go_tests() { # go_tests WHAT NAMES PACKAGE...: runs tests and prints what they logged
  local what=$1 names=$2 log
  shift 2
  log=$(LOADER_KILLS=$times RDFGPU_DAMAGES=$times $go test -count=1 -timeout 60m -run "$names" -v "$@" 2>&1)
  if [ $? -ne 0 ]; then
    fail "$what"
    grep -v '^=== ' <<<"$log" | tail -30 >&2
  fi
  awk -v what="$what" -v times="$times" '
    $1 == "===" && ($2 == "RUN" || $2 == "NAME" || $2 == "CONT") { current = $3 }
    /^ +[a-z_]+_test\.go:[0-9]+: / { sub(/^ +[a-z_]+_test\.go:[0-9]+: /, ""); said[current] = said[current] ", " $0 }
    /^ *--- (PASS|FAIL|SKIP): Test/ {
      names[n++] = $3
      result[$3] = substr($2, 1, 4)
      parent = $3
      if (sub(/\/[^\/]*$/, "", parent)) inner[parent] = 1
    }
    END { for (i = 0; i < n; i++) if (!inner[names[i]]) print "| " what ": " names[i] " | " (names[i] ~ /KilledAtAnyMomentA|FullDiskTheOld|DamagedStoreIs/ ? times : "each run") " | " result[names[i]] said[names[i]] " |" }
  ' <<<"$log"
}

triples() { "$rdfgpu" info --json "$1" | awk -F'[:,]' '/"triples"/ { print $2 + 0; exit }'; }

# Two inputs, and how many triples stores of the first, of the second, and of both have. The second is less than half of
# the first, so that an append makes a segment, and large enough to spill.
inputs() {
  [ -n "${first:-}" ] && return
  "$rdfgpu" generate lubm --scale 17 --seed 1 -o "$work/first.nt" 2>/dev/null
  "$rdfgpu" generate lubm --scale 8 --seed 2 -o "$work/second.nt" 2>/dev/null
  rm -rf "$work/count"
  "$rdfgpu" load -q -o "$work/count" "$work/second.nt" && second=$(triples "$work/count")
  "$rdfgpu" load -q -o "$work/count" "$work/first.nt" && first=$(triples "$work/count")
  "$rdfgpu" load -q -o "$work/count" --append "$work/second.nt" && both=$(triples "$work/count")
  rm -rf "$work/count"
}

# command_of KIND STORE TMP: sets what to try, and how many triples the store has before and after it.
command_of() {
  case $1 in
  load) cmd=("$rdfgpu" load -q -o "$2" --memory 64MiB --tmp "$3" "$work/second.nt") before=$first after=$second ;;
  append) cmd=("$rdfgpu" load -q -o "$2" --append --memory 64MiB --tmp "$3" "$work/second.nt") before=$first after=$both ;;
  compact) cmd=("$rdfgpu" compact -q --memory 64MiB --tmp "$3" "$2") before=$both after=$both ;;
  esac
}

fresh() { # fresh KIND STORE: the store that KIND is tried on
  rm -rf "$2" && cp -r "$work/made-$1" "$2"
}

made() { # made KIND: makes the store that fresh copies
  rm -rf "$work/made-$1"
  "$rdfgpu" load -q -o "$work/made-$1" "$work/first.nt"
  [ "$1" != compact ] || "$rdfgpu" load -q -o "$work/made-$1" --append "$work/second.nt"
}

# judge WHAT KIND STORE: the store must be whole, and the old or the new one; sets now.
judge() {
  local n
  "$rdfgpu" verify "$3" >"$work/verify.log" 2>&1 || fail "$1: verify: $(tail -1 "$work/verify.log")"
  n=$(triples "$3")
  case $n in
  "$before" | "$after") ;;
  *) fail "$1: the store has $n triples, not $before or $after" ;;
  esac
  case $2 in
  compact) [ "$("$rdfgpu" info --json "$3" | grep -c '"folder"')" = 1 ] && now=new || now=old ;;
  *) [ "$n" = "$after" ] && now=new || now=old ;;
  esac
}

# tidy WHAT STORE: one more load must leave nothing of the ones before.
tidy() {
  "$rdfgpu" load -q -o "$2" "$work/first.nt" || fail "$1: the next load"
  local left
  left=$(find "$2" -mindepth 1 -maxdepth 1 ! -name 'gen-*' ! -name manifest.json ! -name lock ! -name queries)
  [ -z "$left" ] && [ "$(ls -d "$2"/gen-* | wc -l)" = 1 ] || fail "$1: left in the store: $left $(ls "$2")"
}

spilled() { # spilled KIND
  local kind=$1 old=0 new=0 store=$work/spilled.store tmp=$work/spilled.tmp pid start whole moment
  made "$kind"
  fresh "$kind" "$store"
  rm -rf "$tmp" && mkdir "$tmp"
  command_of "$kind" "$store" "$tmp"
  start=${EPOCHREALTIME/[.,]/}
  "${cmd[@]}" || fail "$kind that nobody killed"
  whole=$((${EPOCHREALTIME/[.,]/} - start)) # microseconds
  for _ in $(seq "$times"); do
    fresh "$kind" "$store"
    "${cmd[@]}" >/dev/null 2>&1 &
    pid=$!
    moment=$((whole * 5 / 4 * RANDOM / 32768))
    sleep "$((moment / 1000000)).$(printf %06d $((moment % 1000000)))"
    kill -KILL "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
    [ -z "$(ls -A "$tmp")" ] || fail "spilled $kind: left in the temporary folder: $(ls "$tmp")"
    judge "spilled $kind" "$kind" "$store"
    [ $now = new ] && new=$((new + 1)) || old=$((old + 1))
  done
  tidy "spilled $kind" "$store"
  rm -rf "$store" "$tmp" "$work/made-$kind"
  row "SIGKILL of $(a $kind) that spills" "$times" "$old times the old store, $new times the new one; verify passes, nothing left"
}

full() { # full KIND: inside a mount namespace
  local kind=$1 failed=0 room=0 disk=$work/disk size
  made "$kind"
  local base
  base=$(du -sk "$work/made-$kind" | cut -f1)
  mkdir -p "$disk"
  for _ in $(seq "$times"); do
    size=$((base + base * 6 * RANDOM / 32768 + 200))
    mount -t tmpfs -o "size=${size}k" tmpfs "$disk" || { fail "mount"; return; }
    fresh "$kind" "$disk/store"
    mkdir "$disk/tmp"
    command_of "$kind" "$disk/store" "$disk/tmp"
    if "${cmd[@]}" >/dev/null 2>"$work/full.log"; then
      judge "full $kind" "$kind" "$disk/store"
      [ $now = new ] || fail "full $kind: it says that it is done, and the store is the old one"
      room=$((room + 1))
    else
      judge "full $kind" "$kind" "$disk/store"
      [ $now = old ] || fail "full $kind: it failed, and the store is the new one: $(tail -1 "$work/full.log")"
      ! grep -q panic "$work/full.log" || fail "full $kind: $(head -1 "$work/full.log")"
      [ -z "$(find "$disk/store" -name '*.tmp')$(ls -A "$disk/tmp")" ] || fail "full $kind: left: $(find "$disk" -name '*.tmp')"
      failed=$((failed + 1))
    fi
    umount "$disk"
  done
  rm -rf "$work/made-$kind"
  row "$(a $kind) on a file system with a random amount of room" "$times" "$failed failed with an error and left the old store and no other file, $room had room"
}

if [ "${1:-}" = --inside ]; then # a mount namespace of our own
  inputs
  for kind in load append compact; do full $kind; done
  exit $((failures > 0))
fi

[ $# -gt 0 ] || set -- kills damage spilled full
row what 'how often' result
echo '|---|---|---|'
for campaign in "$@"; do
  case $campaign in
  kills) go_tests kills 'Kill|FullDisk|Crash' ./loader ./internal/store ;;
  damage) go_tests damage 'Damage|Cut' . ./internal/store ;;
  spilled)
    inputs
    for kind in load append compact; do spilled $kind; done
    ;;
  full)
    if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
      unshare -m "$0" --inside || failures=$((failures + 1))
    elif unshare -rm true 2>/dev/null; then
      unshare -rm "$0" --inside || failures=$((failures + 1))
    else
      row 'a file system with a random amount of room' 0 'skipped: may not mount a tmpfs'
    fi
    ;;
  *)
    sed -n '2,17p' "$0" >&2
    exit 2
    ;;
  esac
done
rm -f "$work"/*.nt
[ $failures = 0 ] || { echo "$failures failures" >&2; exit 1; }
