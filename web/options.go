package web

import (
	"cmp"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"runtime"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/rdfgpu/rdfgpu"
)

// Options are the settings of a Server. The zero value serves on loopback with sensible limits.
type Options struct {
	// Addr is the address to listen on; "" is 127.0.0.1:7878.
	Addr string
	// Timeout is the longest a query may take, from the first byte of its request to the last of its answer, and what it gets
	// when it does not ask; 0 means one minute.
	Timeout time.Duration
	// MaxRows ends queries with more solutions; 0 means no limit.
	MaxRows uint64
	// MaxMemory bounds what one query holds, in bytes; 0 leaves it to the engine.
	MaxMemory int64
	// Budget, when not nil, is that of the engine's store: bodies of requests are counted against it, and /metrics shows it.
	Budget *rdfgpu.Budget
	// AnswerCache is how many bytes of answers are kept, to be sent again while the store does not change, from the second time on that they are
	// asked for; 0 keeps none. It counts against Budget.
	AnswerCache int64
	// MaxConcurrent is how many queries run at once: the slots; 0 means four for each core.
	MaxConcurrent int
	// MaxQueued is how many more may wait for their turn; 0 means 512, less than 0 none.
	MaxQueued int
	// QueueWait is the longest a query waits for its turn; 0 means ten seconds.
	QueueWait time.Duration
	// MaxParked is how many queries may wait for their clients to read; they hold no slot, but their memory. Beyond that, the
	// slowest is ended. 0 means four times MaxConcurrent.
	MaxParked int
	// ClientShare is the percentage of the slots that one client may hold without making way for others; 0 means 50.
	// Others then get slots of their own, up to as many as the client holds beyond its share.
	ClientShare int
	// MaxConnections bounds the connections that Run keeps open; 0 means 1024.
	MaxConnections int
	// ReadTimeout is the longest that a request's body may stand still; 0 means 30 seconds.
	ReadTimeout time.Duration
	// WriteTimeout is the longest that a client of Run may take no byte of its answer; 0 means 30 seconds.
	WriteTimeout time.Duration
	// TrustedProxies are addresses and prefixes whose header X-Forwarded-For says who asks.
	TrustedProxies []string
	// Rate is how many requests for queries, updates and graphs a client may send in a second, on average; Burst how many it may
	// send at once after a pause: 0 means a second's. More get 429. A Rate of 0 means no limit.
	Rate, Burst float64
	// MaxBody bounds the body of a request, in bytes; 0 means 4 MiB.
	MaxBody int64
	// Drain is how long running queries may still take once the server is told to stop; 0 means ten seconds.
	Drain time.Duration
	// Tokens, when not empty, are the bearer tokens of which a request must show one (see ReadTokens).
	Tokens []string
	// Writable lets requests change the store, which must have been opened so; else they get 403.
	Writable bool
	// WriteTokens, when not empty, are the tokens of which a request that changes the store must show one; they let read too.
	WriteTokens []string
	// UpdateTimeout is what Timeout is to queries, for updates, for reading and writing whole graphs, and for dumps; 0 means ten
	// minutes.
	UpdateTimeout time.Duration
	// MaxUpdate bounds the text of an update, in bytes; 0 means 64 MiB.
	MaxUpdate int64
	// MaxUpdates is how many updates the engine gets at once, which does them one after the other and syncs them together; 0
	// means 64. As many as MaxQueued may wait for that, no longer than QueueWait.
	MaxUpdates int
	// MaxUploads is how many large documents are taken in at once; 0 means 4.
	MaxUploads int
	// MaxSubscriptions is how many queries may stand at once; 0 means 256, less than 0 none.
	MaxSubscriptions int
	// SubscriptionMemory bounds what a query that stands may hold, in bytes; 0 means 256 MiB.
	SubscriptionMemory int64
	// Heartbeat is how long nothing is sent to who subscribed at the most; 0 means 15 seconds.
	Heartbeat time.Duration
	// WebhookAllow are prefixes of the addresses that clients may have posted to what queries that stand find; none means that they may not.
	// Webhooks are kept in WebhookFolder, which nobody else may use, and run as long as Run does; the store must be Writable.
	WebhookAllow  []string
	WebhookFolder string
	// WebhookGiveUp is how long the receiver of a webhook may fail; 0 means three days.
	WebhookGiveUp time.Duration
	// DirectGraphs lets addresses below /store be names of graphs.
	DirectGraphs bool
	// Origins are the web origins that scripts may query from, and write where that is allowed; "*" means any, to query.
	Origins []string
	// Hosts are further names that requests may carry in their header Host; "*" means any. Run checks the header where
	// it listens on loopback, or where there are Hosts; localhost, loopback addresses and Addr's host always pass.
	Hosts []string
	// CertFile and KeyFile, when set, make the server speak TLS.
	CertFile, KeyFile string
	// Traces, when not nil, is told of requests, queries and updates, as OpenTelemetry spans.
	Traces trace.TracerProvider
	// Pprof serves profiles under /debug/pprof/.
	Pprof bool
	// Device is the device of queries that do not ask for one.
	Device rdfgpu.Device
	// SlowQuery is the time from which a query is logged at level Info; 0 means one second.
	SlowQuery time.Duration
	// Log receives the server's log; nil means slog.Default.
	Log *slog.Logger
}

// The limits that nobody has needed to change.
const (
	maxHeaderBytes    = 256 << 10
	readHeaderTimeout = 10 * time.Second
	idleTimeout       = 120 * time.Second
)

// complete fills in the defaults.
func (o Options) complete() (Options, error) {
	o.Addr = cmp.Or(o.Addr, "127.0.0.1:7878")
	o.Timeout = cmp.Or(o.Timeout, time.Minute)
	o.MaxConcurrent = cmp.Or(o.MaxConcurrent, 4*runtime.GOMAXPROCS(0))
	o.MaxQueued = cmp.Or(o.MaxQueued, 512)
	o.QueueWait = cmp.Or(o.QueueWait, 10*time.Second)
	o.MaxParked = cmp.Or(o.MaxParked, 4*o.MaxConcurrent)
	o.ClientShare = cmp.Or(o.ClientShare, 50)
	o.MaxConnections = cmp.Or(o.MaxConnections, 1024)
	o.ReadTimeout = cmp.Or(o.ReadTimeout, 30*time.Second)
	o.WriteTimeout = cmp.Or(o.WriteTimeout, 30*time.Second)
	o.MaxBody = cmp.Or(o.MaxBody, 4<<20)
	o.UpdateTimeout = cmp.Or(o.UpdateTimeout, 10*time.Minute)
	o.MaxUpdate = cmp.Or(o.MaxUpdate, 64<<20)
	o.MaxUpdates = cmp.Or(o.MaxUpdates, 64)
	o.MaxUploads = cmp.Or(o.MaxUploads, 4)
	o.MaxSubscriptions = cmp.Or(o.MaxSubscriptions, 256)
	o.SubscriptionMemory = cmp.Or(o.SubscriptionMemory, 256<<20)
	o.Heartbeat = cmp.Or(o.Heartbeat, 15*time.Second)
	o.WebhookGiveUp = cmp.Or(o.WebhookGiveUp, 72*time.Hour)
	o.Drain = cmp.Or(o.Drain, 10*time.Second)
	o.SlowQuery = cmp.Or(o.SlowQuery, time.Second)
	o.Device = cmp.Or(o.Device, rdfgpu.Auto)
	o.Log = cmp.Or(o.Log, slog.Default())
	if (o.CertFile == "") != (o.KeyFile == "") {
		return o, fmt.Errorf("web: a certificate needs both its files")
	}
	if min(o.MaxConcurrent, o.MaxParked, o.MaxConnections, o.MaxUpdates, o.MaxUploads) < 0 || min(o.MaxBody, o.MaxUpdate, o.SubscriptionMemory, o.AnswerCache) < 0 ||
		min(o.Timeout, o.UpdateTimeout, o.QueueWait, o.ReadTimeout, o.WriteTimeout, o.Heartbeat, o.WebhookGiveUp) < 0 {
		return o, fmt.Errorf("web: a limit is negative")
	}
	if o.Rate < 0 || o.Burst < 0 || math.IsNaN(o.Rate+o.Burst) {
		return o, fmt.Errorf("web: a rate is negative")
	}
	if o.ClientShare < 0 || o.ClientShare > 100 {
		return o, fmt.Errorf("web: a client's share is %d: expected a percentage", o.ClientShare)
	}
	return o, nil
}

// httpServer is the net/http server with every limit set.
func (s *Server) httpServer() *http.Server {
	return &http.Server{
		Handler: s, MaxHeaderBytes: maxHeaderBytes, ReadHeaderTimeout: readHeaderTimeout, ReadTimeout: s.options.ReadTimeout,
		IdleTimeout: idleTimeout, ErrorLog: slog.NewLogLogger(s.options.Log.Handler(), slog.LevelDebug),
	}
}
