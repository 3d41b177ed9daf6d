#!/bin/sh
# Makes what is published of a version, and publishes nothing: release.sh VERSION [FOLDER]
#
# In FOLDER (default dist/): a tarball (zip for Windows) for each of PLATFORMS with the binary, the manual, completions, the systemd unit
# and the licence; a Debian package for each Linux; a bill of materials (CycloneDX) for each binary; SHA256SUMS of all. The same
# commit and Go version give the same bytes. Binaries are for the CPU alone; where nvcc is found, linux-amd64 gets one with the
# kernels too (rdfgpu-VERSION-linux-amd64-cuda), unless CUDA=no. Needs go, git, tar, gzip, sha256sum; zip for Windows; dpkg-deb for the packages.
set -eu

version=${1:?usage: release.sh VERSION [FOLDER]}
cd "$(dirname "$0")/.."
out=${2:-dist}
platforms=${PLATFORMS:-linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64}
go=${GO:-go}
commit=$(git describe --always --abbrev=40 --dirty --exclude '*')
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
flags="-s -w -X github.com/rdfgpu/rdfgpu.version=$version -X github.com/rdfgpu/rdfgpu.commit=$commit"

rm -rf "$out"
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The manual and the completions are made by a binary of this machine.
$go build -ldflags "$flags" -o "$work/here" ./cmd/rdfgpu
$go build -o "$work/sbom" ./packaging/sbom
mkdir "$work/common"
"$work/here" man >"$work/common/rdfgpu.1"
for shell in bash zsh fish; do "$work/here" completion $shell >"$work/common/rdfgpu.$shell"; done
cp LICENSE README.md CHANGELOG.md docs/rdfgpu.service "$work/common/"

# pack FOLDER: a tarball of a folder of $work, whose bytes depend on its files alone.
pack() {
	tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -cf - "$1" | gzip -9n >"$out/$1.tar.gz"
}

# debian ARCHITECTURE BINARY [SUFFIX]: a package of a binary.
debian() {
	root="$work/deb-$1${3:-}"
	mkdir -p "$root/DEBIAN" "$root/usr/bin" "$root/usr/share/man/man1" "$root/usr/share/doc/rdfgpu" \
		"$root/usr/share/bash-completion/completions" "$root/usr/share/zsh/vendor-completions" "$root/usr/share/fish/vendor_completions.d" \
		"$root/usr/lib/systemd/system"
	install -m 755 "$2" "$root/usr/bin/rdfgpu"
	gzip -9nc "$work/common/rdfgpu.1" >"$root/usr/share/man/man1/rdfgpu.1.gz"
	gzip -9nc CHANGELOG.md >"$root/usr/share/doc/rdfgpu/changelog.gz"
	install -m 644 LICENSE "$root/usr/share/doc/rdfgpu/copyright"
	install -m 644 "$work/common/rdfgpu.bash" "$root/usr/share/bash-completion/completions/rdfgpu"
	install -m 644 "$work/common/rdfgpu.zsh" "$root/usr/share/zsh/vendor-completions/_rdfgpu"
	install -m 644 "$work/common/rdfgpu.fish" "$root/usr/share/fish/vendor_completions.d/rdfgpu.fish"
	sed 's|/usr/local/bin|/usr/bin|' docs/rdfgpu.service >"$root/usr/lib/systemd/system/rdfgpu.service"
	cat >"$root/DEBIAN/control" <<-control
		Package: rdfgpu${3:-}
		Version: ${version#v}
		Architecture: $1
		Maintainer: rdfgpu <noreply@rdfgpu.invalid>
		Section: database
		Priority: optional
		Installed-Size: $(du -ks "$root/usr" | cut -f1)
		Description: RDF engine that answers SPARQL by subgraph matching
		 Loads RDF into memory-mapped stores and answers SPARQL 1.1 on the command
		 line and over HTTP, on the CPU or on an NVIDIA GPU.
	control
	if [ -n "${3:-}" ]; then
		printf 'Provides: rdfgpu\nConflicts: rdfgpu\nReplaces: rdfgpu\nDepends: libc6\n' >"$work/relations"
		sed -i "/^Priority:/r $work/relations" "$root/DEBIAN/control"
	fi
	find "$root" -exec touch -hd "@$SOURCE_DATE_EPOCH" {} +
	dpkg-deb --root-owner-group -Zxz --build "$root" "$out/rdfgpu${3:-}_${version#v}_$1.deb" >/dev/null
}

for platform in $platforms; do
	os=${platform%/*} arch=${platform#*/}
	name="rdfgpu-$version-$os-$arch" suffix=
	[ "$os" != windows ] || suffix=.exe
	cp -r "$work/common" "$work/$name"
	CGO_ENABLED=0 GOOS=$os GOARCH=$arch $go build -trimpath -ldflags "$flags" -o "$work/$name/rdfgpu$suffix" ./cmd/rdfgpu
	"$work/sbom" "$work/$name/rdfgpu$suffix" "$version" >"$out/$name.cdx.json"
	if [ "$os" = windows ]; then
		find "$work/$name" -exec touch -hd "@$SOURCE_DATE_EPOCH" {} +
		(cd "$work" && find "$name" | LC_ALL=C sort | TZ=UTC zip -qX "$out/$name.zip" -@)
	else
		pack "$name"
	fi
	if [ "$os" = linux ] && command -v dpkg-deb >/dev/null; then debian "$arch" "$work/$name/rdfgpu"; fi
done

if [ "${CUDA:-yes}" = yes ] && command -v nvcc >/dev/null; then
	name="rdfgpu-$version-linux-amd64-cuda"
	cp -r "$work/common" "$work/$name"
	make build-gpu GO="$go" BIN="$work/$name/rdfgpu" VERSION="$version" COMMIT="$commit"
	"$work/sbom" "$work/$name/rdfgpu" "$version" >"$out/$name.cdx.json"
	pack "$name"
	if command -v dpkg-deb >/dev/null; then debian amd64 "$work/$name/rdfgpu" -cuda; fi
fi

cd "$out"
sha256sum -- * >"$work/SHA256SUMS"
mv "$work/SHA256SUMS" .
cat SHA256SUMS
