package web

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu"
)

func TestTheServiceIsDescribed(t *testing.T) {
	t.Parallel()
	s, _ := newTestServer(t, Options{})
	w := do(s, "GET", "http://host:1/sparql", "")
	for _, want := range []string{"sd:Service", "sd:endpoint <http://host:1/sparql>", "sd:SPARQL11Query", "void:triples 42"} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("no %q in\n%s", want, w.Body)
		}
	}
	w = do(s, "GET", "/sparql", "", "Accept: text/html,*/*;q=0.8")
	if w.Code != 303 || w.Header().Get("Location") != "./" {
		t.Errorf("a browser gets %d %s", w.Code, w.Header().Get("Location"))
	}
	w = do(s, "GET", "/sparql/", "", "Accept: text/html,*/*;q=0.8")
	if w.Code != 303 || w.Header().Get("Location") != "../" {
		t.Errorf("a browser gets %d %s", w.Code, w.Header().Get("Location"))
	}
}

func TestATokenIsAskedFor(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(file, []byte("# keys\n\nopen sesame\nsecond\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tokens, err := ReadTokens(file)
	if err != nil {
		t.Fatal(err)
	}
	s, _ := newTestServer(t, Options{Tokens: tokens})
	cases := []struct {
		path, header string
		status       int
	}{
		{"/sparql?query=ASK", "", 401},
		{"/sparql?query=ASK", "Authorization: Bearer wrong", 401},
		{"/sparql?query=ASK", "Authorization: Bearer open sesame", 200},
		{"/sparql?query=ASK", "Authorization: Bearer second", 200},
		{"/sparql?query=ASK", "Authorization: bearer second", 200},
		{"/sparql?query=ASK", "Authorization: Bearersecond", 401},
		{"/sparql?query=ASK", "Authorization: Basic dXNlcjpzZWNvbmQ=", 200},
		{"/metrics", "", 401},
		{"/api/info", "", 401},
		{"/healthz", "", 200},
		{"/", "", 200},
	}
	for _, c := range cases {
		if w := do(s, "GET", c.path, "", c.header); w.Code != c.status {
			t.Errorf("%s with %q: %d, want %d", c.path, c.header, w.Code, c.status)
		}
	}
}

func TestScriptsOfOtherOriginsAreLetInByName(t *testing.T) {
	t.Parallel()
	s, _ := newTestServer(t, Options{Origins: []string{"https://friend.example"}})
	w := get(s, "ASK", "Origin: https://friend.example")
	if w.Code != 200 || w.Header().Get("Access-Control-Allow-Origin") != "https://friend.example" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	if w := get(s, "ASK", "Origin: https://stranger.example"); w.Header().Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("%v", w.Header())
	}
	w = do(s, "OPTIONS", "/sparql", "", "Origin: https://friend.example", "Access-Control-Request-Method: POST",
		"Access-Control-Request-Headers: content-type,x-rdfgpu-device")
	if w.Code != 200 || !strings.Contains(strings.ToLower(w.Header().Get("Access-Control-Allow-Headers")), "x-rdfgpu-device") {
		t.Errorf("%d %v", w.Code, w.Header())
	}
}

func TestWhatAnOperatorNeedsIsThere(t *testing.T) {
	t.Parallel()
	s, _ := newTestServer(t, Options{})
	get(s, "SELECT 5")
	get(s, "BAD")
	text := do(s, "GET", "/metrics", "").Body.String()
	for _, want := range []string{`rdfgpu_queries_total{outcome="ok"} 1`, `rdfgpu_queries_total{outcome="malformed"} 1`,
		"rdfgpu_rows_total 5", "rdfgpu_query_seconds_bucket", `rdfgpu_phase_seconds_count{phase="parse"} 1`, "rdfgpu_gpu_available 0",
		"rdfgpu_gpu_working_bytes 0", "rdfgpu_parse_cache_hits_total 7", "rdfgpu_parse_cache_misses_total 3", "rdfgpu_plans_kept_total 6", "rdfgpu_plans_made_total 4", "process_resident_memory_bytes",
		"rdfgpu_queries_waiting 0"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in the metrics", want)
		}
	}
	if w := do(s, "GET", "/api/info", ""); !strings.Contains(w.Body.String(), `"triples":42`) || strings.Contains(w.Body.String(), "secret") {
		t.Errorf("%s", w.Body)
	}
	if w := do(s, "GET", "/api/schema?limit=3", ""); !strings.Contains(w.Body.String(), "http://e/C") {
		t.Errorf("%s", w.Body)
	}
	if w := do(s, "GET", "/api/examples", ""); w.Body.String() != "{\"examples\":[]}\n" {
		t.Errorf("%s", w.Body)
	}
	if w := do(s, "GET", "/debug/pprof/", ""); w.Code != 404 {
		t.Errorf("profiles without being asked for: %d", w.Code)
	}
	profiled, _ := newTestServer(t, Options{Pprof: true})
	if w := do(profiled, "GET", "/debug/pprof/goroutine?debug=1", ""); w.Code != 200 || !strings.Contains(w.Body.String(), "goroutine profile") {
		t.Errorf("profiles: %d", w.Code)
	}
}

func TestTheWorkbenchIsServed(t *testing.T) {
	t.Parallel()
	s, _ := newTestServer(t, Options{})
	w := do(s, "GET", "/", "")
	if w.Code != 200 || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") || w.Header().Get("Content-Security-Policy") == "" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	if w := do(s, "GET", "/", "", "If-None-Match: "+w.Header().Get("ETag")); w.Code != 304 {
		t.Errorf("%d", w.Code)
	}
	if w := do(s, "POST", "/", ""); w.Code != 405 {
		t.Errorf("%d", w.Code)
	}
}

// run starts Run and returns the address, a stop, and what Run returned.
func run(t *testing.T, s *Server) (string, context.CancelFunc, chan error) {
	t.Helper()
	s.ready = make(chan net.Addr, 1)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	select {
	case addr := <-s.ready:
		return "http://" + addr.String(), stop, done
	case err := <-done:
		t.Fatal(err)
	}
	return "", stop, done
}

func TestTheServerChecksTheStore(t *testing.T) {
	t.Parallel()
	for want, damage := range map[string]error{"whole": nil, "damaged": fmt.Errorf("/secret/path/x.pcsr: %w", rdfgpu.ErrDamaged)} {
		var log bytes.Buffer
		s, engine := newTestServer(t, Options{Addr: "127.0.0.1:0", Log: slog.New(slog.NewTextHandler(&log, nil))})
		engine.damage = damage
		if info := do(s, "GET", "/api/info", "").Body.String(); !strings.Contains(info, `"integrity":"unchecked"`) {
			t.Error(info)
		}
		_, stop, done := run(t, s)
		waitFor(t, time.Second, func() bool {
			info := do(s, "GET", "/api/info", "").Body.String()
			return strings.Contains(info, `"integrity":"`+want+`"`) && !strings.Contains(info, "secret")
		})
		metrics := do(s, "GET", "/metrics", "").Body.String()
		if !strings.Contains(metrics, "rdfgpu_store_checked "+map[bool]string{true: "1", false: "0"}[damage == nil]) ||
			!strings.Contains(metrics, "rdfgpu_store_damaged "+map[bool]string{true: "0", false: "1"}[damage == nil]) {
			t.Error(metrics)
		}
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if text := log.String(); !strings.Contains(text, "the store is "+want) || strings.Contains(text, "x.pcsr") == (damage == nil) {
			t.Error(text)
		}
	}
}

func TestAServerThatIsToldToStopLetsQueriesFinish(t *testing.T) {
	t.Parallel()
	s, engine := newTestServer(t, Options{Addr: "127.0.0.1:0"})
	url, stop, done := run(t, s)
	answered := make(chan string)
	go func() {
		response, err := http.Get(url + "/sparql?format=csv&query=SELECT+3000+100ms")
		if err != nil {
			answered <- err.Error()
			return
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			answered <- err.Error()
			return
		}
		answered <- string(body)
	}()
	waitFor(t, time.Second, func() bool { return engine.running.Load() == 1 })
	stop()
	waitFor(t, time.Second, s.draining.Load)
	if w := do(s, "GET", "/readyz", ""); w.Code != 503 {
		t.Errorf("ready while draining: %d", w.Code)
	}
	if body := <-answered; strings.Count(body, "\n") != 3001 {
		t.Errorf("%d lines: %.200s", strings.Count(body, "\n"), body)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	http.DefaultClient.CloseIdleConnections()
}

func TestAfterTheDrainQueriesAreCancelled(t *testing.T) {
	t.Parallel()
	s, engine := newTestServer(t, Options{Addr: "127.0.0.1:0", Drain: 50 * time.Millisecond})
	url, stop, done := run(t, s)
	status := make(chan int)
	go func() {
		response, err := http.Get(url + "/sparql?query=FOREVER")
		if err != nil {
			status <- 0
			return
		}
		response.Body.Close()
		status <- response.StatusCode
	}()
	waitFor(t, time.Second, func() bool { return engine.running.Load() == 1 })
	stop()
	if code := <-status; code != 503 && code != 0 {
		t.Errorf("%d", code)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	http.DefaultClient.CloseIdleConnections()
}

func TestAnAddressInUseIsAnError(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	s, _ := newTestServer(t, Options{Addr: listener.Addr().String()})
	if err := s.Run(context.Background()); err == nil {
		t.Error("no error")
	}
}

func TestOptionsThatContradictThemselvesAreRefused(t *testing.T) {
	t.Parallel()
	if _, err := New(&fakeEngine{}, Options{CertFile: "x"}); err == nil {
		t.Error("a certificate without a key")
	}
}

// writeCertificate makes a certificate for 127.0.0.1 that signs itself.
func writeCertificate(t *testing.T) (certFile, keyFile string, roots *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	certFile, keyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]*pem.Block{certFile: {Type: "CERTIFICATE", Bytes: cert}, keyFile: {Type: "EC PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	parsed, err := x509.ParseCertificate(cert)
	if err != nil {
		t.Fatal(err)
	}
	roots = x509.NewCertPool()
	roots.AddCert(parsed)
	return certFile, keyFile, roots
}

func TestTheServerSpeaksTLS(t *testing.T) {
	t.Parallel()
	certFile, keyFile, roots := writeCertificate(t)
	s, _ := newTestServer(t, Options{Addr: "127.0.0.1:0", CertFile: certFile, KeyFile: keyFile})
	address, stop, done := run(t, s)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}
	client := &http.Client{Transport: transport}
	for _, query := range []string{"ASK", "SELECT+20000"} {
		response, err := client.Get(strings.Replace(address, "http:", "https:", 1) + "/sparql?format=csv&query=" + query)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != 200 || response.ProtoMajor != 2 {
			t.Errorf("%s: %d %s, %v", query, response.StatusCode, response.Proto, err)
		}
		response.Body.Close()
	}
	transport.CloseIdleConnections()
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
