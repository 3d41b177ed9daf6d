package main

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/rdfgpu/rdfgpu"
	"github.com/rdfgpu/rdfgpu/web"
)

type serveCommand struct {
	Store   string        `arg:"" help:"Folder of the store."`
	Addr    string        `default:"127.0.0.1:7878" placeholder:"HOST:PORT" help:"Address to listen on; others than loopback are reachable from outside."`
	Timeout time.Duration `default:"60s" help:"Longest a query may take, from the first byte of its request to the last of its answer."`
	MaxRows uint64        `placeholder:"N" help:"End queries with more solutions (default: no limit)."`
	limits
	MaxConcurrent int           `placeholder:"N" help:"Queries that run at once (default: four for each core)."`
	MaxQueued     int           `placeholder:"N" help:"Queries that may wait for their turn (default: 512)."`
	QueueTimeout  time.Duration `default:"10s" help:"Longest a query waits for its turn; then 503."`
	MaxParked     int           `placeholder:"N" help:"Queries that may wait for their clients to read; they hold memory, but no turn. Beyond, the slowest is ended (default: four times --max-concurrent)."`
	ClientShare   int           `default:"50" placeholder:"PERCENT" help:"Part of the turns that one client (address or token) may hold without making way for others."`
	MaxConns      int           `name:"max-connections" default:"1024" placeholder:"N" help:"Connections that are open at once; beyond, unused ones are closed."`
	ReadTimeout   time.Duration `default:"30s" help:"Longest that a request's body may stand still."`
	WriteTimeout  time.Duration `default:"30s" help:"Longest that a client may take no byte of its answer."`
	TrustedProxy  []string      `placeholder:"ADDRESS" help:"Proxies, as addresses or prefixes such as 10.0.0.0/8, whose header X-Forwarded-For says which client asks."`
	Device        string        `enum:"auto,cpu,gpu" default:"auto" help:"Where patterns are matched: auto, cpu or gpu."`
	Threads       int           `placeholder:"N" help:"Threads of the CPU matcher (default: all cores)."`
	GPUMemory     byteSize      `name:"gpu-memory" placeholder:"SIZE" help:"Device memory to use (default: most of it)."`
	AuthTokenFile string        `placeholder:"FILE" help:"Ask every request for one of the bearer tokens in this file, one a line."`
	CORS          []string      `name:"cors" placeholder:"ORIGIN" help:"Web origins that scripts may query from; * for any."`
	AllowHost     []string      `placeholder:"NAME" help:"Further host names that requests may use, such as a proxy's; * for any (default: on loopback only localhost and addresses of loopback; else any)."`
	TLSCert       string        `name:"tls-cert" placeholder:"FILE" help:"Certificate: speak TLS."`
	TLSKey        string        `name:"tls-key" placeholder:"FILE" help:"Key of the certificate."`
	AllowService  []string      `placeholder:"URL" help:"SPARQL endpoints that SERVICE may ask (default: none)."`
	Pprof         bool          `help:"Serve profiles under /debug/pprof/."`
	Follow        bool          `default:"true" negatable:"" help:"Answer from the store as load and compact change it, within a second of the change."`
	ReadOnly      bool          `xor:"writable" help:"Accepted for clarity: without --writable the server never writes to the store."`
	Writable      bool          `xor:"writable" help:"Take updates (/update) and documents (/store); nobody else may change the store meanwhile."`
	WriteTokens   string        `placeholder:"FILE" help:"Ask requests that change the store for one of the tokens in this file, one a line; without it those of --auth-token-file may."`
	writing
	UpdateTimeout time.Duration `default:"10m" help:"Longest that an update, the reading or writing of a whole graph, or a dump may take."`
	MaxUpdate     byteSize      `default:"64MiB" placeholder:"SIZE" help:"Longest text of an update."`
	DirectGraphs  bool          `help:"Addresses below /store are names of graphs."`
	LogJSON       bool          `name:"log-json" help:"Log as JSON."`
}

// Help is shown by rdfgpu serve --help.
func (*serveCommand) Help() string {
	return `Examples:
  rdfgpu serve my.store
  rdfgpu serve my.store --addr 0.0.0.0:7878 --auth-token-file tokens.txt --tls-cert cert.pem --tls-key key.pem
  rdfgpu serve my.store --timeout 20s --max-connections 4096 --write-timeout 10s --client-share 25
  rdfgpu serve my.store --allow-host data.example.org --trusted-proxy 10.0.0.0/8
  rdfgpu serve my.store --writable --write-tokens writers.txt
  curl 'http://127.0.0.1:7878/sparql' --data-urlencode 'query=SELECT * WHERE { ?s ?p ?o } LIMIT 3' -H 'Accept: text/csv'
  curl 'http://127.0.0.1:7878/update' --data-urlencode 'update=INSERT DATA { <http://e/s> <http://e/p> 1 }'
  curl -T more.ttl -H 'Content-Type: text/turtle' 'http://127.0.0.1:7878/store?graph=http://e/g'

When load, load --append or compact has changed the store, the server answers new queries from the new one within a
second; running queries end on the old one. They cannot change a store that a server has open with --writable. With --no-follow it answers from the store as it was when it started. While the store
is deleted or cannot be read, /readyz says so, and queries are answered from it as it was.`
}

// Run serves until it is interrupted, then waits for the running queries.
func (c *serveCommand) Run(env *environment) error {
	budget := c.budget()
	defer budget.Govern()()
	open := func() (*rdfgpu.Store, error) {
		options := rdfgpu.Options{
			Threads: c.Threads, GPUMemory: int64(c.GPUMemory), Device: rdfgpu.Device(c.Device), Services: c.AllowService,
			Budget: budget,
		}
		if c.Writable {
			c.writing.in(&options)
		}
		return rdfgpu.Open(c.Store, options)
	}
	store, err := open()
	if err != nil {
		return err
	}
	f := &follower{turns: c.Follow, open: open, store: store, log: c.logger(env)}
	defer f.close()
	options := web.Options{
		Addr: c.Addr, Timeout: c.Timeout, MaxRows: c.MaxRows, MaxMemory: int64(c.QueryMemory), Budget: budget,
		MaxConcurrent: c.MaxConcurrent, MaxQueued: c.MaxQueued, Origins: c.CORS, Hosts: c.AllowHost, CertFile: c.TLSCert, KeyFile: c.TLSKey,
		Pprof: c.Pprof, Device: rdfgpu.Device(c.Device), Log: f.log,
		QueueWait: c.QueueTimeout, MaxParked: c.MaxParked, ClientShare: c.ClientShare, MaxConnections: c.MaxConns,
		ReadTimeout: c.ReadTimeout, WriteTimeout: c.WriteTimeout, TrustedProxies: c.TrustedProxy,
		Writable: c.Writable, UpdateTimeout: c.UpdateTimeout, MaxUpdate: int64(c.MaxUpdate), DirectGraphs: c.DirectGraphs,
	}
	if c.AuthTokenFile != "" {
		if options.Tokens, err = web.ReadTokens(c.AuthTokenFile); err != nil {
			return err
		}
	}
	if c.WriteTokens != "" {
		if options.WriteTokens, err = web.ReadTokens(c.WriteTokens); err != nil {
			return err
		}
	}
	if f.server, err = web.New(web.StoreEngine(store), options); err != nil {
		return usageError(err.Error())
	}
	ctx, stop := context.WithCancel(env.ctx)
	var following sync.WaitGroup
	following.Go(func() { f.follow(ctx) })
	defer following.Wait()
	defer stop()
	return f.server.Run(env.ctx)
}

func (c *serveCommand) logger(env *environment) *slog.Logger {
	if c.LogJSON {
		return slog.New(slog.NewJSONHandler(env.stderr, nil))
	}
	return slog.New(slog.NewTextHandler(env.stderr, nil))
}
