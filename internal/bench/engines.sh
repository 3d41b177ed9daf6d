# The engines that are measured beside each other, for the scripts beside this file to source. They set data (a file of
# N-Triples, plain or gzip), work (a folder), rdfgpu and oxigraph (commands, oxigraph may be empty) and fuseki (a jar, may be empty) before.
pids=()
ports=${PORTS:-17} # what the numbers of all ports begin with

stop() {
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  wait 2>/dev/null || true
}
trap stop EXIT

timed() { # timed LABEL COMMAND...: time and peak resident memory as the operating system counts it
  local label=$1
  shift
  /usr/bin/time -f "$label: %e s, %U + %S s of processor time, %M KiB peak" "$@" >"$work/$label.log" 2>"$work/$label.err" || { cat "$work/$label.err" >&2; return 1; }
  tail -1 "$work/$label.err"
}

vacant() { # vacant PORT...: nobody listens there, whose answers would be taken for those of the engine that is started next
  for port in "$@"; do
    ! (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "port $port is taken: end what listens there, or choose others (PORTS=27)" >&2; return 1; }
  done
}

await() { # await URL: until what was started last answers there
  for _ in $(seq 600); do
    kill -0 "${pids[-1]}" 2>/dev/null || { echo "what should answer at $1 has ended" >&2; return 1; }
    curl -s -o /dev/null "$1" && return
    sleep 0.2
  done
  echo "no answer from $1" >&2
  return 1
}

on_disk() { # on_disk NAME [FOLDER]
  echo "$1: $(du -sb "${2:-$work/$1}" | cut -f1) bytes on disk"
}

load_rdfgpu() {
  [ -e "$work/rdfgpu/manifest.json" ] || timed "rdfgpu-load" "$rdfgpu" load -q -o "$work/rdfgpu" "$data"
  on_disk rdfgpu
}

load_oxigraph() {
  if [ ! -d "$work/oxigraph" ]; then
    timed "oxigraph-load" "$oxigraph" load -l "$work/oxigraph" -f "$data"
    timed "oxigraph-optimize" "$oxigraph" optimize -l "$work/oxigraph"
  fi
  on_disk oxigraph
}

load_fuseki() {
  [ -d "$work/fuseki" ] || timed "fuseki-load" java -Xmx4g -cp "$fuseki" tdb2.tdbloader --loc "$work/fuseki" "$data"
  on_disk fuseki
}

virtuoso_ini() { # virtuoso_ini FOLDER
  cat <<INI
[Database]
DatabaseFile = $1/virtuoso.db
ErrorLogFile = $1/virtuoso.log
LockFile = $1/virtuoso.lck
TransactionFile = $1/virtuoso.trx
xa_persistent_file = $1/virtuoso.pxa
[TempDatabase]
DatabaseFile = $1/temp.db
TransactionFile = $1/temp.trx
[Parameters]
ServerPort = 127.0.0.1:${ports}111
DisableUnixSocket = 1
NumberOfBuffers = 340000
MaxDirtyBuffers = 250000
DirsAllowed = /
ThreadsPerQuery = $(nproc)
CheckpointInterval = 0
TransactionAfterImageLimit = 2000000000
[HTTPServer]
ServerPort = 127.0.0.1:${ports}890
ServerThreads = 64
KeepAliveTimeout = 60
MaxKeepAlives = 300
[SPARQL]
DefaultGraph = http://bench
INI
}

processor() { # processor PID: seconds of processor time so far, start included
  awk -v tick="$(getconf CLK_TCK)" '{ sub(/.*\) /, ""); print $12 / tick " + " $13 / tick }' "/proc/$1/stat"
}

isql() { isql-vt 127.0.0.1:${ports}111 dba dba exec="$1" >/dev/null; }

serve_virtuoso() { # serve_virtuoso [FOLDER]
  local folder=${1:-$work/virtuoso}
  vacant "${ports}111" "${ports}890"
  virtuoso_ini "$folder" >"$folder/virtuoso.ini"
  (cd "$folder" && exec virtuoso-t -f -c "$folder/virtuoso.ini" >/dev/null 2>&1) &
  pids+=($!)
  await http://127.0.0.1:${ports}890/
}

load_virtuoso() {
  if [ ! -e "$work/virtuoso/loaded" ]; then
    rm -rf "$work/virtuoso" && mkdir -p "$work/virtuoso/input"
    local input=data.nt
    [[ $data != *.gz ]] || input=data.nt.gz
    ln "$data" "$work/virtuoso/input/$input" 2>/dev/null || cp "$data" "$work/virtuoso/input/$input"
    serve_virtuoso
    local start end
    start=$(date +%s.%N)
    isql "ld_dir('$work/virtuoso/input', '$input', 'http://bench');"
    isql "rdf_loader_run();"
    isql "checkpoint;"
    end=$(date +%s.%N)
    echo "virtuoso-load: $(awk "BEGIN{print $end-$start}") s, $(processor "${pids[-1]}") s of processor time, $(awk '/VmHWM/{print $2}' "/proc/${pids[-1]}/status") KiB peak"
    touch "$work/virtuoso/loaded"
    rm -r "$work/virtuoso/input"
  else
    serve_virtuoso
  fi
  on_disk virtuoso
}
