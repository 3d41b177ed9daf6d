# Building the kernels and the binary that holds them; the top Makefile includes this.
# Needs nvcc and cuda.h (Debian: kernels/install-toolkit.sh).

CUDA_INCLUDE ?= $(firstword $(wildcard /usr/include/cuda.h /usr/local/cuda/include/cuda.h))
KERNEL_HEADERS := $(wildcard kernels/*.cuh)
# Machine code for Ampere and Hopper data centre GPUs, PTX that drivers compile for any other since Volta.
GENCODE ?= -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 -gencode arch=compute_70,code=compute_70
OPTIMIZE ?= -O3
GPU_ENV := CGO_ENABLED=1 CGO_LDFLAGS="-L$(CURDIR)/kernels" CGO_CFLAGS="-g -O2 -I$(dir $(CUDA_INCLUDE))"

.PHONY: kernels have-cuda build build-gpu gpu-bundle

# Each becomes a fatbin of its own; those that take longest to compile come first.
CUDA_SOURCES := dense dense_away branches paged far far_away match weigh outer triangles squares closure sift sum combine top patch core filter
kernels: $(CUDA_SOURCES:%=kernels/%.fatbin) kernels/libcuda.a ## compile the CUDA sources

kernels/branches.fatbin kernels/paged.fatbin: kernels/match.cu
kernels/dense_away.fatbin: kernels/dense.cu
kernels/far_away.fatbin: kernels/far.cu

# -lineinfo is for profilers; nvcc 11.8 crashes on it where sources have large templates.
LINEINFO ?=

kernels/%.fatbin: kernels/%.cu $(KERNEL_HEADERS)
	$(NVCC) $(OPTIMIZE) -std=c++17 --threads 0 $(LINEINFO) $(GENCODE) -fatbin -o $@ $<

kernels/libcuda.a: kernels/shim.sh
	CUDA_INCLUDE=$(dir $(CUDA_INCLUDE)) sh kernels/shim.sh $@

have-cuda:
	@[ -n "$(NVCC)" ] && [ -n "$(CUDA_INCLUDE)" ] || { \
	  echo "The CUDA toolkit is missing: install nvcc and cuda.h, on Debian with kernels/install-toolkit.sh (non-free:"; \
	  echo "nvidia-cuda-toolkit, nvidia-cuda-dev), or set NVCC and CUDA_INCLUDE. Without it, use make build-cpu."; exit 1; }

build-gpu: have-cuda kernels ## build with the kernels inside; the binary uses a GPU where it finds one
	$(GPU_ENV) $(GO) build -tags cuda -ldflags "$(LDFLAGS)" -o $(BIN) ./cmd/rdfgpu

build: ## build bin/rdfgpu: with GPU support where the CUDA toolkit is installed, else for the CPU alone
	@if [ -n "$(NVCC)" ] && [ -n "$(CUDA_INCLUDE)" ]; then \
	  echo "building with the kernels, for every kind of GPU in GENCODE: minutes, the first time (make build-cpu: seconds, without GPU)"; \
	  $(MAKE) --no-print-directory build-gpu; \
	else echo "no CUDA toolkit here: building for the CPU alone (make build-gpu says what is missing)"; $(MAKE) --no-print-directory build-cpu; fi

gpu-bundle: have-cuda kernels ## pack what a machine with a GPU needs to test and measure (docs/GPU.md)
	kernels/bundle.sh
