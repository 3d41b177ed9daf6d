# rdfgpu: build, run and test. `make help` lists the targets.

GO     ?= go
BIN    := bin/rdfgpu
NVCC   ?= $(shell command -v nvcc)
STORE  ?= .cache/nomisma
# What the binary says of itself: VERSION of a release, and the commit.
VERSION ?=
COMMIT  ?= $(shell git describe --always --abbrev=40 --dirty --exclude '*' 2>/dev/null)
LDFLAGS := -X github.com/rdfgpu/rdfgpu.version=$(VERSION) -X github.com/rdfgpu/rdfgpu.commit=$(COMMIT)

.DEFAULT_GOAL := help
.PHONY: help build build-gpu build-cpu cross release run test check race fuzz hostile w3c bench lint vet fmt staticcheck workbench browser python-library wheel python clean

help: ## list the targets
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  %-14s %s\n", $$1, $$2}'

build-cpu:
	$(GO) build -ldflags "$(LDFLAGS)" -o $(BIN) ./cmd/rdfgpu

run: build ## load the data set in testdata/ and answer a few queries
	@testdata/run.sh $(BIN) $(STORE)

test: ## the whole test suite (no GPU needed)
	$(GO) test -timeout 30m ./...

check: fmt vet staticcheck test ## what a commit must pass

fmt:
	@bad=$$(gofmt -l $$(git ls-files '*.go')); [ -z "$$bad" ] || { echo "gofmt these files:"; echo "$$bad"; exit 1; }

vet:
	$(GO) vet ./...

staticcheck:
	$(GO) tool staticcheck ./...

# What draws most of its cases at random: a tenth as many as elsewhere are enough to see a race. exec/expr starts no goroutines.
DRAWING := ./exec ./exec/match/cpu ./exec/match/gpu ./exec/vector ./internal/live ./internal/wal ./loader ./mine ./pcsr ./web .

race: ## the race detector on the packages that start goroutines
	env -u RDFGPU_DATA -u RDFGPU_W3C $(GO) test -race -short -timeout 30m $(DRAWING) -rapid.checks=10
	env -u RDFGPU_DATA -u RDFGPU_W3C $(GO) test -race -short -timeout 30m $$($(GO) list ./loader/... ./exec/... ./web/... ./internal/section/... ./internal/store/... ./internal/wal/... ./internal/live/... ./internal/watch/... ./internal/schedule/... ./pcsr/... ./mine/... . | grep -vxF "$$($(GO) list $(DRAWING) ./exec/expr)")

w3c: ## the W3C suites: RDFGPU_W3C=folder of the rdf-tests checkout
	@[ -n "$$RDFGPU_W3C" ] || { echo "set RDFGPU_W3C to a folder that holds the W3C suites (rdf/ and sparql/)"; exit 2; }
	$(GO) test -count=1 -run W3C -v ./parser/... ./loader/... ./exec/... ./internal/results/... ./internal/updatetest/... ./web/... | grep -vE '^ *(=== |--- PASS)'

FUZZTIME ?= 30s
fuzz: ## every fuzz target for FUZZTIME (default 30s)
	@for p in $$($(GO) list ./...); do \
	  for f in $$($(GO) test -list '^Fuzz' $$p | grep '^Fuzz'); do \
	    echo "$$p $$f"; $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) $$p || exit 1; done; done

CAMPAIGN ?=
hostile: build ## send hostile queries to running servers and check their limits (CAMPAIGN="-help" for its flags)
	$(GO) run ./internal/hostile/campaign -rdfgpu $(BIN) $(CAMPAIGN)

bench: ## Go benchmarks of the hot paths (compare two runs with `go tool benchstat`)
	$(GO) test -run '^$$' -bench . -benchmem ./...

workbench: ## rebuild the browser workbench (needs npm)
	cd web/workbench && npm ci && npm run build

web/workbench/node_modules: web/workbench/package-lock.json
	cd web/workbench && npm ci
	@touch $@

browser: web/workbench/node_modules ## drive the workbench in a real browser (needs chromium and npm; RDFGPU_SHOTS=folder keeps pictures)
	$(GO) test -tags browser -count=1 -timeout 40m -run Workbench ./web

# The Python package. WHEEL_CUDA=1 puts the kernels into its library.
PYTHON ?= python3
PYTHON_LIBRARY := python/rdfgpu/librdfgpu.so
WHEEL_CUDA ?=
python-library: $(if $(WHEEL_CUDA),have-cuda kernels)
	$(if $(WHEEL_CUDA),$(GPU_ENV),CGO_ENABLED=1) $(GO) build $(if $(WHEEL_CUDA),-tags cuda) -buildmode=c-shared -ldflags "-s -w $(LDFLAGS)" -o $(PYTHON_LIBRARY) ./python/lib

wheel: python-library ## build the Python package's wheel into dist/ (needs Python with pip; WHEEL_CUDA=1: with GPU support)
	rm -rf python/build
	$(PYTHON) -m pip wheel --quiet --no-deps --wheel-dir dist ./python

python: ## build the Python package, and test it in an environment of its own, where Python and its packages can be had
	GO="$(GO)" PYTHON="$(PYTHON)" python/test.sh

# The rooms that differ between systems; their tests are vetted too.
SYSTEM_ROOMS := ./internal/machine ./internal/section ./internal/store ./exec/vector ./pcsr ./loader
cross: ## build for the other systems, and vet the rooms that differ there
	@for p in linux/arm64 darwin/arm64 windows/amd64; do echo $$p; \
	  export CGO_ENABLED=0 GOOS=$${p%/*} GOARCH=$${p#*/}; \
	  $(GO) build -o /dev/null ./cmd/rdfgpu && $(GO) vet $(SYSTEM_ROOMS) || exit 1; done

release: ## what is published of a version (VERSION=v1.2.3): tarballs, packages, bills of materials, checksums, in dist/
	@[ -n "$(VERSION)" ] || { echo "name the version: make release VERSION=v1.2.3"; exit 2; }
	GO="$(GO)" packaging/release.sh $(VERSION)

clean: ## remove what make made
	rm -rf bin .cache .bundle dist python/build python/.venv $(PYTHON_LIBRARY)

include kernels/kernels.mk
