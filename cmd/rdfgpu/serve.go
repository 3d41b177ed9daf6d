package main

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/alecthomas/kong"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/rdfgpu/rdfgpu"
	"github.com/rdfgpu/rdfgpu/web"
)

type serveCommand struct {
	Stores  []string      `arg:"" name:"store" help:"Folder of the store; or of several, each then at a path of its name (/people/sparql of people.store, or of people=FOLDER)."`
	Set     []string      `sep:";" placeholder:"NAME.FLAG=VALUE" help:"A flag for one of several stores alone; may be given several times."`
	Answers *byteSize     `name:"answer-cache" placeholder:"SIZE" help:"Memory for answers that are sent again as they are while the store does not change; 0 keeps none (default: 32MiB, and at most a sixteenth of what queries may hold)."`
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
	Rate          float64       `placeholder:"N" help:"Requests for queries, updates and graphs that one client (address or token) may send in a second, on average; more get 429 (default: no limit)."`
	Burst         float64       `placeholder:"N" help:"Requests that a client may send at once, after a pause, where --rate is given (default: those of a second)."`
	TrustedProxy  []string      `placeholder:"ADDRESS" help:"Proxies, as addresses or prefixes such as 10.0.0.0/8, whose header X-Forwarded-For says which client asks."`
	Device        string        `enum:"auto,cpu,gpu" default:"auto" help:"Where patterns are matched: auto, cpu or gpu."`
	Threads       int           `placeholder:"N" help:"Threads of the CPU matcher (default: all cores)."`
	GPUMemory     byteSize      `name:"gpu-memory" placeholder:"SIZE" help:"Device memory to use (default: most of it); graphs may be larger."`
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
	MaxStanding   int           `name:"max-subscriptions" default:"256" placeholder:"N" help:"Queries that may stand at once (/subscribe); 0: none."`
	StandingBytes byteSize      `name:"subscription-memory" default:"256MiB" placeholder:"SIZE" help:"Memory that a query that stands may hold: what its client has not read yet."`
	Heartbeat     time.Duration `default:"15s" help:"Longest that nothing is sent to who subscribed."`
	WebhookAllow  []string      `placeholder:"PREFIX" help:"Addresses that clients may have told of what queries find that stand, by webhooks, as prefixes of http IRIs; with --writable (default: none)."`
	WebhookGiveUp time.Duration `default:"72h" help:"How long the receiver of a webhook may fail before it is given up."`
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
  rdfgpu serve people.store places=/data/geo.store --set people.writable=true --set places.timeout=5s
  curl 'http://127.0.0.1:7878/sparql' --data-urlencode 'query=SELECT * WHERE { ?s ?p ?o } LIMIT 3' -H 'Accept: text/csv'
  curl 'http://127.0.0.1:7878/update' --data-urlencode 'update=INSERT DATA { <http://e/s> <http://e/p> 1 }'
  curl -T more.ttl -H 'Content-Type: text/turtle' 'http://127.0.0.1:7878/store?graph=http://e/g'

When load, load --append or compact has changed the store, the server answers new queries from the new one within a
second; running queries end on the old one. They cannot change a store that a server has open with --writable. With --no-follow it answers from the store as it was when it started. While the store
is deleted or cannot be read, /readyz says so, and queries are answered from it as it was.`
}

// Run serves until it is interrupted, then waits for the running queries.
func (c *serveCommand) Run(env *environment, parsed *kong.Context) error {
	named, err := c.named()
	if err != nil {
		return err
	}
	if c.Pprof {
		runtime.MemProfileRate = profiledBytes
	}
	s := &shared{budget: c.budget()}
	defer s.budget.Govern()()
	if s.traces, err = tracing(env.ctx, c.logger(env)); err != nil {
		return err
	}
	defer s.end()
	if len(named) == 1 && len(c.Set) == 0 && named[0].given == "" {
		one, err := c.start(env, named[0].folder, s)
		if err != nil {
			return err
		}
		defer one.stop()
		return one.server.Run(env.ctx)
	}
	settings, err := c.each(parsed, named)
	if err != nil {
		return err
	}
	servers := map[string]*web.Server{}
	for i, store := range named {
		one, err := settings[i].start(env, store.folder, s)
		if err != nil {
			return fmt.Errorf("%s: %w", store.name, err)
		}
		defer one.stop()
		servers[store.name] = one.server
	}
	stores, err := web.NewStores(servers)
	if err != nil {
		return usageError(err.Error())
	}
	return stores.Run(env.ctx)
}

// shared is what the servers of several stores have together.
type shared struct {
	budget *rdfgpu.Budget
	traces *sdktrace.TracerProvider // nil without
}

// end sends the last spans.
func (s *shared) end() {
	if s.traces == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), lastSpans)
	defer cancel()
	_ = s.traces.Shutdown(ctx) // the log has been told by the error handler
}

// served is a store that is being served and followed.
type served struct {
	*follower
	end       context.CancelFunc
	following sync.WaitGroup
}

// start opens a store and prepares its server.
func (c *serveCommand) start(env *environment, folder string, common *shared) (*served, error) {
	open := func() (*rdfgpu.Store, error) {
		options := rdfgpu.Options{
			Threads: c.Threads, GPUMemory: int64(c.GPUMemory), Device: rdfgpu.Device(c.Device), Services: c.AllowService,
			Budget: common.budget,
		}
		if c.Writable {
			c.writing.in(&options)
		}
		return rdfgpu.Open(folder, options)
	}
	store, err := open()
	if err != nil {
		return nil, err
	}
	f := &follower{turns: c.Follow, open: open, store: store, log: c.logger(env)}
	options, err := c.options(common, f.log)
	options.WebhookFolder = filepath.Join(folder, "webhooks")
	if err == nil {
		if f.server, err = web.New(web.StoreEngine(store), options); err != nil {
			err = usageError(err.Error())
		}
	}
	if err != nil {
		return nil, firstError(err, f.close())
	}
	ctx, end := context.WithCancel(env.ctx)
	s := &served{follower: f, end: end}
	s.following.Go(func() { f.follow(ctx) })
	return s, nil
}

// stop waits for what follows the store and closes it.
func (s *served) stop() {
	s.end()
	s.following.Wait()
	s.close()
}

// options are the flags as the server takes them.
func (c *serveCommand) options(common *shared, log *slog.Logger) (options web.Options, err error) {
	options = web.Options{
		Addr: c.Addr, Timeout: c.Timeout, MaxRows: c.MaxRows, MaxMemory: int64(c.QueryMemory), Budget: common.budget,
		AnswerCache: c.answerCache(common.budget), MaxConcurrent: c.MaxConcurrent, MaxQueued: c.MaxQueued, Origins: c.CORS, Hosts: c.AllowHost, CertFile: c.TLSCert, KeyFile: c.TLSKey,
		Pprof: c.Pprof, Device: rdfgpu.Device(c.Device), Log: log, Rate: c.Rate, Burst: c.Burst,
		QueueWait: c.QueueTimeout, MaxParked: c.MaxParked, ClientShare: c.ClientShare, MaxConnections: c.MaxConns,
		ReadTimeout: c.ReadTimeout, WriteTimeout: c.WriteTimeout, TrustedProxies: c.TrustedProxy,
		MaxSubscriptions: c.MaxStanding, SubscriptionMemory: int64(c.StandingBytes), Heartbeat: c.Heartbeat,
		WebhookAllow: c.WebhookAllow, WebhookGiveUp: c.WebhookGiveUp,
		Writable: c.Writable, UpdateTimeout: c.UpdateTimeout, MaxUpdate: int64(c.MaxUpdate), DirectGraphs: c.DirectGraphs,
	}
	if common.traces != nil {
		options.Traces = common.traces
	}
	if c.MaxStanding == 0 {
		options.MaxSubscriptions = -1
	}
	if c.AuthTokenFile != "" {
		if options.Tokens, err = web.ReadTokens(c.AuthTokenFile); err != nil {
			return options, err
		}
	}
	if c.WriteTokens != "" {
		options.WriteTokens, err = web.ReadTokens(c.WriteTokens)
	}
	return options, err
}

// usualAnswers is how many bytes of answers are kept where nobody says otherwise.
const usualAnswers = 32 << 20

// answerCache is how many bytes of answers are kept.
func (c *serveCommand) answerCache(budget *rdfgpu.Budget) int64 {
	if c.Answers != nil {
		return int64(*c.Answers)
	}
	return min(usualAnswers, budget.Usage().Live/16)
}

func (c *serveCommand) logger(env *environment) *slog.Logger {
	if c.LogJSON {
		return slog.New(slog.NewJSONHandler(env.stderr, nil))
	}
	return slog.New(slog.NewTextHandler(env.stderr, nil))
}
