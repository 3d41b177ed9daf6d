#!/bin/bash
# Builds the container files with docker, and tries what is in the images as a new user would: try.sh [cpu] [cuda] [compose], all three
# without arguments. Needs docker, curl, Go's data of the checkout; for compose, docker compose as well. Images are called rdfgpu:try….
#
# BUILD holds further flags of docker build (--network host), GENCODE the kinds of GPU to build for, PORT the port on loopback (17878); with
# BUILT=COMMIT the images are those that were built of that commit.
set -euo pipefail
cd "$(dirname "$0")/.."

commit=${BUILT:-$(git rev-parse HEAD)}
port=${PORT:-17878}
url=http://127.0.0.1:$port
data=$(mktemp -d)
container=rdfgpu-try-$$
trap 'docker rm -f "$container" >/dev/null 2>&1 || true; rm -rf "$data"' EXIT
chown 65532:65532 "$data"
cp testdata/nomisma/nomisma.nt.zst "$data/"
chmod 755 "$data"

# ok WORDS: says that what follows holds, once it does: ok "words" command…
ok() {
	local words=$1
	shift
	if "$@"; then echo "ok    $words"; else echo "FAILED $words: $*" >&2; docker logs "$container" >&2 || true; exit 1; fi
}

says() { # says TEXT COMMAND…: the command's output has the text in it, whatever its exit code
	local text=$1
	shift
	{ "$@" 2>&1 || true; } | grep -qF -- "$text"
}

count() { # count N: the server finds N triples
	[ "$(curl -sf "$url/sparql" -H 'Accept: text/csv' --data-urlencode 'query=SELECT (COUNT(*) AS ?n) { ?s ?p ?o }' | tail -1 | tr -d '\r')" = "$1" ]
}

health() { # health WORD: the container's health check comes to this within a minute
	for _ in $(seq 60); do
		[ "$(docker inspect -f '{{.State.Health.Status}}' "$container")" = "$1" ] && return
		sleep 1
	done
	return 1
}

serve() { # serve IMAGE FLAGS…: starts a container with as few rights as it can do with
	local image=$1
	shift
	docker rm -f "$container" >/dev/null 2>&1 || true
	docker run -d --name "$container" --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges -p "127.0.0.1:$port:7878" "$@" "$image" >/dev/null
}

stopped() { # the container ends by SIGTERM, with exit code 0
	docker stop -t 20 "$container" >/dev/null && [ "$(docker inspect -f '{{.State.ExitCode}}' "$container")" = 0 ]
}

build() { # build FILE IMAGE
	[ -z "${BUILT:-}" ] || return 0
	docker build ${BUILD:-} ${GENCODE:+--build-arg "GENCODE=$GENCODE"} -f "packaging/$1" -t "$2" --build-arg VERSION=v0.0.0-try --build-arg "COMMIT=$commit" .
}

try() { # try IMAGE: what both images do
	local image=$1
	ok "says its version and commit" says "commit ${commit:0:12}" docker run --rm "$image" --version
	ok "has no shell" says "no such file" docker run --rm --entrypoint /bin/sh "$image" -c true
	ok "is not root" test "$(docker inspect -f '{{.Config.User}}' "$image")" = 65532:65532
	ok "without a store, says so and ends" says "main.store" docker run --rm "$image"
	ok "loads" docker run --rm -v "$data:/data" "$image" load -o /data/main.store /data/nomisma.nt.zst
	ok "what it wrote is its user's" test "$(stat -c %u "$data/main.store")" = 65532
	ok "verifies" docker run --rm --read-only -v "$data:/data:ro" "$image" verify /data/main.store
	serve "$image" -v "$data:/data:ro"
	ok "serves with a read-only root and no rights, and is found healthy" health healthy
	ok "answers" count 757143
	ok "shows the workbench" says '<title>' curl -s -H 'Accept: text/html' "$url/"
	ok "runs as user 65532" test "$(docker top "$container" -eo pid,uid | awk 'END { print $2 }')" = 65532
	ok "takes no update" says read-only curl -s "$url/update" --data-urlencode 'update=INSERT DATA { <http://e/s> <http://e/p> 1 }'
	ok "ends by SIGTERM" stopped
	serve "$image" -v "$data:/data" -e RDFGPU_SERVE_WRITABLE=true
	ok "with --writable is found healthy" health healthy
	ok "takes an update" curl -sf -o /dev/null "$url/update" --data-urlencode 'update=INSERT DATA { <http://e/s> <http://e/p> 1 }'
	docker kill "$container" >/dev/null
	docker start "$container" >/dev/null
	health healthy
	ok "has it after a kill" count 757144
	ok "ends by SIGTERM" stopped
	rm -rf "$data/main.store"
}

cpu() {
	build Containerfile rdfgpu:try
	try rdfgpu:try
}

cuda() {
	build Containerfile.cuda rdfgpu:try-cuda
	ok "has the kernels" says "built with CUDA" docker run --rm rdfgpu:try-cuda --version
	try rdfgpu:try-cuda
}

# compose: the services of compose.yaml, on the image that cpu has built.
compose() {
	local file=$data/packaging/compose.yaml
	mkdir -p "$data/packaging" "$data/data"
	cp packaging/compose.yaml "$file"
	cp testdata/nomisma/nomisma.nt.zst "$data/data/"
	chown -R 65532:65532 "$data/data"
	docker tag rdfgpu:try rdfgpu
	export PORT=$port
	project() { docker compose -p rdfgpu-try -f "$file" "$@"; }
	ok "compose reads the file" project config -q
	ok "compose loads" project run --rm load -o /data/main.store /data/nomisma.nt.zst
	ok "compose starts a server that is found healthy" project up -d --wait server
	ok "answers" count 757143
	ok "is the only service without a profile" test "$(project ps --services | tr '\n' ' ')" = "server "
	ok "has a read-only root and no rights" test "$(docker inspect -f '{{.HostConfig.ReadonlyRootfs}} {{.HostConfig.CapDrop}}' rdfgpu-try-server-1)" = "true [ALL]"
	ok "compose stops it" project down
}

[ $# -gt 0 ] || set -- cpu cuda compose
for part in "$@"; do
	echo "== $part"
	"$part"
done
echo "all of it holds: $*"
