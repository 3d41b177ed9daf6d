#!/bin/bash
# Makes images of Debian's packages under the names of the base images that the container files start from, for machines that reach a
# Debian mirror and no registry: stand-ins.sh [golang] [static] [cc], all three without arguments. Needs root, docker, debootstrap and Go.
#
# What is in them is what those images promise: Go with a compiler; certificates, time zones and the user nonroot; C's libraries
# besides. MIRROR names the Debian mirror. Certificates are this machine's, so that a proxy's are among them.
set -euo pipefail

mirror=${MIRROR:-http://deb.debian.org/debian}
suite=bookworm
go=$(go env GOROOT)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

golang() {
	local root=$work/golang
	debootstrap --variant=minbase --include=ca-certificates,gcc,g++,libc6-dev,make,git "$suite" "$root" "$mirror" >/dev/null
	cp -a "$go" "$root/usr/local/go"
	certificates "$root"
	rm -rf "$root"/var/cache/apt/archives/*.deb "$root/etc/apt/sources.list"
	cat >"$root/etc/apt/sources.list.d/debian.sources" <<-end
		Types: deb
		URIs: $mirror
		Suites: $suite $suite-updates
		Components: main
		Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
	end
	tar -C "$root" -c . | docker import --change "ENV PATH=/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" \
		--change "ENV GOTOOLCHAIN=local" - golang:1.26-bookworm
}

# distroless FOLDER: a root with what every distroless image has.
distroless() {
	mkdir -p "$1/etc" "$1/home" "$1/usr/share"
	install -d -m 1777 "$1/tmp"
	install -d -m 700 -o 65532 -g 65532 "$1/home/nonroot"
	printf 'root:x:0:0:root:/root:/sbin/nologin\nnobody:x:65534:65534:nobody:/nonexistent:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n' >"$1/etc/passwd"
	printf 'root:x:0:\nnobody:x:65534:\nnonroot:x:65532:\n' >"$1/etc/group"
	certificates "$1"
	cp -a /usr/share/zoneinfo "$1/usr/share/"
}

certificates() {
	mkdir -p "$1/etc/ssl/certs"
	cp /etc/ssl/certs/ca-certificates.crt "$1/etc/ssl/certs/"
}

import() { tar -C "$1" -c . | docker import --change "USER 65532" --change "WORKDIR /home/nonroot" - "$2"; }

static() {
	distroless "$work/static"
	import "$work/static" gcr.io/distroless/static-debian12:nonroot
}

cc() {
	distroless "$work/cc"
	(cd "$work" && apt-get download -q libc6 libgcc-s1 libstdc++6 libgomp1 gcc-12-base >/dev/null)
	for package in "$work"/*.deb; do dpkg-deb -x "$package" "$work/cc"; done
	import "$work/cc" gcr.io/distroless/cc-debian12:nonroot
}

[ $# -gt 0 ] || set -- golang static cc
for image in "$@"; do "$image"; done
