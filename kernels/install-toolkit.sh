#!/bin/sh
# install-toolkit.sh installs Debian's CUDA 11.8 compiler and driver headers
# (component non-free), which is all that `make kernels` needs. It adds the
# component with the URIs, suites and key of the Debian source that is there
# already: apt refuses two sources of one archive with different keys.
#
# The packages also bring a libcuda.so.1. A build machine without a GPU can do
# without it; see docs/GPU.md.
set -eu

if command -v nvcc >/dev/null 2>&1 && [ -e /usr/include/cuda.h ]; then
	exit 0
fi
if [ "$(id -u)" != 0 ]; then
	echo "install-toolkit: run as root, or install nvidia-cuda-toolkit and nvidia-cuda-dev (Debian, component non-free)" >&2
	exit 1
fi

source=/etc/apt/sources.list.d/debian.sources
target=/etc/apt/sources.list.d/rdfgpu-non-free.sources
if [ ! -e "$target" ] && [ -e "$source" ]; then
	sed 's/^Components:.*/Components: contrib non-free non-free-firmware/' "$source" >"$target"
fi
apt-get update -q
DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends \
	nvidia-cuda-toolkit nvidia-cuda-dev g++
