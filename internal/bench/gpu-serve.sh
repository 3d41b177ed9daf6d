#!/usr/bin/env bash
# gpu-serve.sh BIN STORE QUERIES OUT: tries the GPU through HTTP, in one command.
#
# Serves STORE (a store, or data to load into one) with `BIN serve --device gpu`, and writes to OUT/report.txt:
# latency and load of QUERIES with device=cpu and device=gpu, answers checked by their number of solutions; how soon a
# long query stops when its client hangs up, and whether the GPU's memory is free again. The exit code is 1 where a check
# failed. Without a GPU it says so and tries all that the CPU can do. Needs bash and coreutils only.
# DURATION (10s), CONNECTIONS (1,8,64) and PORT (17979) may be set.
set -uo pipefail

[ $# -eq 4 ] || { sed -n '2,8p' "$0" >&2; exit 2; }
bin=$(readlink -f "$1") store=$(readlink -f "$2") queries=$(readlink -f "$3")
mkdir -p "$4"
out=$(readlink -f "$4") port=${PORT:-17979} failures=0 server=
export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:-}:/usr/local/nvidia/lib64
exec > >(tee "$out/report.txt") 2>&1

pass() { echo "ok    $*"; }
fail() { echo "FAIL  $*"; failures=$((failures + 1)); }
now() { local t=$EPOCHREALTIME; echo $((${t/[.,]/} / 1000)); } # milliseconds

encode() {
  local text=$1 i c
  for ((i = 0; i < ${#text}; i++)); do
    c=${text:i:1}
    case $c in [a-zA-Z0-9._-]) printf %s "$c" ;; *) printf %%%02X "'$c" ;; esac
  done
}

get() { # get PATH: the body of the answer
  { exec 3<>"/dev/tcp/127.0.0.1/$port"; } 2>/dev/null || return 1
  printf 'GET %s HTTP/1.0\r\nHost: localhost\r\n\r\n' "$1" >&3
  sed '1,/^\r$/d' <&3
  exec 3>&-
}

metric() { # metric NAME: its value as a whole number, 0 where there is none
  local value
  value=$(get /metrics | grep -F "$1 " | grep -v '^#' | head -1)
  printf '%.0f\n' "${value##* }" 2>/dev/null || echo 0
}

running() { get /api/queries | grep -c '"state":"running"'; }

within() { # within MILLISECONDS COMMAND...: repeats it until it is true; prints the time that took
  local start limit=$1
  start=$(now)
  shift
  until "$@"; do
    [ $(($(now) - start)) -lt "$limit" ] || { echo "more than $limit"; return 1; }
  done
  echo $(($(now) - start))
}

idle() { [ "$(running)" = 0 ]; }
busy() { [ "$(running)" = 1 ]; }
freed() { [ "$(metric rdfgpu_gpu_working_bytes)" -le "$base" ]; }
settled() { # the memory in use stays the same for three seconds, longer than idle tables are kept
  local before
  before=$(metric rdfgpu_gpu_memory_used_bytes)
  sleep 3
  [ "$(metric rdfgpu_gpu_memory_used_bytes)" = "$before" ]
}
held() { echo $(($(metric rdfgpu_gpu_memory_used_bytes) - $(metric rdfgpu_gpu_resident_bytes))); } # beside the graph
given_back() { [ "$(held)" -le "$rest" ]; }
working() { [ "$(metric rdfgpu_gpu_working_bytes)" -gt "$base" ]; }

stop() {
  [ -n "$server" ] && kill "$server" 2>/dev/null && wait "$server"
}
trap stop EXIT

if [ ! -e "$store/manifest.json" ]; then
  "$bin" load -q -o "$out/store" "$store" || exit 1
  store=$out/store
fi
echo "$(uname -sr), $(nproc) cores"
"$bin" serve "$store" --device auto --answer-cache 0 --timeout 120s --addr "127.0.0.1:$port" 2>"$out/server.log" &
server=$!
within 60000 get /readyz >/dev/null || { echo "the server does not start:"; cat "$out/server.log"; exit 1; }
echo "$(metric rdfgpu_store_triples) triples"
device=gpu devices="cpu gpu"
if [ "$(metric rdfgpu_gpu_available)" != 1 ]; then
  echo "THERE IS NO GPU: $(get /api/info | grep -o '"reason":"[^"]*"')"
  echo "What follows is of the CPU alone."
  device=cpu devices=cpu
else
  get /api/info | grep -o '"device":{[^}]*}'
  stop
  "$bin" serve "$store" --device gpu --answer-cache 0 --timeout 120s --addr "127.0.0.1:$port" 2>>"$out/server.log" &
  server=$!
  within 60000 get /readyz >/dev/null || exit 1
fi

endpoints=()
for d in $devices; do endpoints+=(-e "$d=http://127.0.0.1:$port/sparql?device=$d"); done

echo
echo "== latency"
"$bin" bench "$queries" "${endpoints[@]}" --forms count,tsv -n 5 2>/dev/null >"$out/latency.md" || fail "the run ended with an error"
cat "$out/latency.md"
if grep -q '^- ' "$out/latency.md"; then fail "an answer is wrong or missing"; else pass "every number of solutions is the expected one"; fi

echo
echo "== load"
if "$bin" bench "$queries" "${endpoints[@]}" --forms count,tsv --max-expected 100000 --connections "${CONNECTIONS:-1,8,64}" --duration "${DURATION:-10s}" 2>/dev/null; then
  pass "no error but 503, no wrong number of solutions"
else
  fail "errors or wrong answers under load"
fi

echo
echo "== hanging up"
predicate=$(get '/api/schema?limit=1' | grep -o '"predicates":\[{"iri":"[^"]*"' | sed 's/.*"iri":"//; s/"$//')
pattern="{ ?a <$predicate> ?b . ?c <$predicate> ?d . ?e <$predicate> ?f }"
# At rest: no query of the load runs any more, and the memory of its tables is given back.
within 30000 idle >/dev/null || fail "queries still run after the load"
within 10000 settled >/dev/null || fail "the GPU's memory in use does not come to rest"
base=$(metric rdfgpu_gpu_working_bytes) rest=$(held)
echo "device $device, predicate <$predicate>, memory of the GPU that queries hold at rest: $base bytes, tables kept: $rest"

hang_up() { # hang_up NAME QUERY: starts it, leaves, and sees how long it goes on
  local name=$1 target stopped
  target="/sparql?device=$device&semantics=isomorphism&format=tsv&query=$(encode "$2")"
  exec 4<>"/dev/tcp/127.0.0.1/$port"
  printf 'GET %s HTTP/1.0\r\nHost: localhost\r\n\r\n' "$target" >&4
  within 10000 busy >/dev/null || { fail "$name: it does not run"; exec 4>&-; return; }
  [ $device = cpu ] || within 10000 working >/dev/null || fail "$name: it takes no memory of the GPU"
  sleep "${3:-1}"
  busy || { fail "$name: it ended by itself"; exec 4>&-; return; }
  exec 4>&-
  if stopped=$(within 100 idle); then pass "$name: stopped $stopped ms after its client hung up"; else fail "$name: it runs $stopped ms after its client hung up"; fi
  [ $device = gpu ] || return
  if stopped=$(within 100 freed); then pass "$name: the GPU's memory was free $stopped ms later"; else fail "$name: the GPU's memory is still held $stopped ms later"; fi
}

hang_up "a count" "SELECT (COUNT(*) AS ?n) WHERE $pattern"
hang_up "rows" "SELECT * WHERE $pattern"
hang_up "groups" "SELECT ?a (COUNT(*) AS ?n) WHERE $pattern GROUP BY ?a"
resident=$(metric process_resident_memory_bytes) threads=$(metric go_goroutines)
for i in 1 2 3 4 5; do hang_up "a count, again ($i)" "SELECT (COUNT(*) AS ?n) WHERE $pattern" 0.2; done
if [ $device = cpu ]; then :
elif stopped=$(within 10000 given_back); then pass "the GPU's memory beside the graph is what it was at rest, $stopped ms after the last"
else fail "$(($(held) - rest)) bytes of the GPU are not given back"; fi
echo "resident memory $resident → $(metric process_resident_memory_bytes) bytes, goroutines $threads → $(metric go_goroutines)"

echo
echo "== afterwards"
gone=$(metric 'rdfgpu_queries_total{outcome="gone"}')
if [ "$gone" -ge 8 ]; then pass "$gone queries are counted as gone"; else fail "only $gone queries are counted as gone"; fi
panics=$(metric rdfgpu_panics_total)
if [ "$panics" = 0 ]; then pass "no panic"; else fail "$panics panics"; fi
if [ $device = gpu ]; then
  kernels=$(metric 'rdfgpu_phase_seconds_count{phase="kernels"}')
  if [ "$kernels" -gt 0 ]; then pass "$kernels queries ran kernels"; else fail "no query ran on the GPU"; fi
fi
get /metrics | grep -E '^(rdfgpu_gpu_|rdfgpu_parse_cache|rdfgpu_queries_total|process_resident)' | grep -v ' 0$'
echo
if [ $failures = 0 ]; then echo "All checks passed."; else echo "$failures checks failed."; fi
[ $failures = 0 ]
