package web

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/internal/updatetest"
)

// buildProgram builds the program for a test of it.
func buildProgram(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("building the program is left out of short tests")
	}
	path := filepath.Join(t.TempDir(), "rdfgpu")
	if out, err := exec.Command("go", "build", "-o", path, "../cmd/rdfgpu").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

var servedAt = regexp.MustCompile(`msg=serving url=(\S+)/`)

// serveByProgram loads a file and serves it by the running program. The handler passes requests on to it.
func serveByProgram(t *testing.T, program, path string, flags ...string) http.Handler {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "store")
	if out, err := exec.Command(program, "load", "-q", "--base", "http://example.org/", "-o", dir, path).CombinedOutput(); err != nil {
		t.Fatalf("load: %v: %s", err, out)
	}
	command := exec.Command(program, append([]string{"serve", dir, "--addr", "127.0.0.1:0"}, flags...)...)
	log, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(log)
	forward := &forwarder{t: t, store: dir, client: &http.Client{Transport: &http.Transport{DisableCompression: true}, Timeout: time.Minute}}
	for forward.url == "" && lines.Scan() {
		if m := servedAt.FindStringSubmatch(lines.Text()); m != nil {
			forward.url = m[1]
		}
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		io.Copy(io.Discard, log)
	}()
	t.Cleanup(func() {
		forward.client.CloseIdleConnections()
		command.Process.Signal(os.Interrupt)
		<-read
		if err := command.Wait(); err != nil {
			t.Errorf("the program ends with %v", err)
		}
	})
	if forward.url == "" {
		t.Fatal("the program does not say where it serves")
	}
	return forward
}

// forwarder passes requests on.
type forwarder struct {
	t      *testing.T
	store  string // the folder that is served
	url    string
	client *http.Client
}

// ServeHTTP answers with what the program answers.
func (f *forwarder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	request, err := http.NewRequestWithContext(r.Context(), r.Method, f.url+r.URL.RequestURI(), r.Body)
	if err != nil {
		f.t.Error(err)
		return
	}
	request.Header = r.Header
	response, err := f.client.Do(request)
	if err != nil {
		f.t.Error(err)
		return
	}
	defer response.Body.Close()
	for name, values := range response.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(response.StatusCode)
	if _, err := io.Copy(w, response.Body); err != nil {
		f.t.Error(err)
	}
}

func TestW3CProtocolOfTheProgram(t *testing.T) {
	t.Parallel()
	tests, data := protocolTests(t)
	program := buildProgram(t)
	readOnly := serveByProgram(t, program, data)
	updatetest.RunProtocol(t, tests, func(t *testing.T) updatetest.Server {
		if !strings.Contains(t.Name(), "/update_") {
			return updatetest.Server{Handler: readOnly}
		}
		return updatetest.Server{Handler: serveByProgram(t, program, data, "--writable", "--durability", "none")}
	})
}

func TestW3CResultFormatsOfTheProgram(t *testing.T) {
	t.Parallel()
	openSuite(t, "csv-tsv-res")
	program := buildProgram(t)
	testResultFormats(t, func(t *testing.T, path string) http.Handler { return serveByProgram(t, program, path) })
}
