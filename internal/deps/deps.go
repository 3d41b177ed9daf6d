//go:build deps

// Package deps pins the libraries that rooms are being built with.
package deps

import (
	_ "github.com/RoaringBitmap/roaring/v2"
	_ "github.com/alecthomas/kong"
	_ "github.com/alecthomas/participle/v2"
	_ "github.com/alecthomas/participle/v2/lexer"
	_ "github.com/cockroachdb/apd/v3"
	_ "github.com/cockroachdb/datadriven"
	_ "github.com/cosnicolaou/pbzip2"
	_ "github.com/go-chi/chi/v5"
	_ "github.com/go-chi/chi/v5/middleware"
	_ "github.com/go-chi/cors"
	_ "github.com/go-chi/httprate"
	_ "github.com/klauspost/compress/gzip"
	_ "github.com/klauspost/compress/zstd"
	_ "github.com/klauspost/pgzip"
	_ "github.com/knakk/rdf"
	_ "github.com/prometheus/client_golang/prometheus"
	_ "github.com/prometheus/client_golang/prometheus/promhttp"
	_ "github.com/rogpeppe/go-internal/testscript"
	_ "github.com/zeebo/xxh3"
	_ "go.uber.org/goleak"
	_ "golang.org/x/sync/errgroup"
	_ "golang.org/x/sys/unix"
	_ "gorgonia.org/cu"
	_ "pgregory.net/rapid"
)
