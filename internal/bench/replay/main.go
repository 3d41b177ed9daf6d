// Command replay serves the answers of another SPARQL endpoint without computing them: a request that comes for the first time is passed on,
// its answer kept, and the same request is answered with the same bytes from then on. Under `rdfgpu bench --connections` beside the
// endpoint itself it says what HTTP, sockets and the client leave of a machine.
//
//	replay -of http://127.0.0.1:7878 -addr 127.0.0.1:7879
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
)

func main() {
	of := flag.String("of", "http://127.0.0.1:7878", "server whose answers are kept, without a path")
	addr := flag.String("addr", "127.0.0.1:7879", "address to serve at")
	flag.Parse()
	fmt.Fprintln(os.Stderr, "replay:", http.ListenAndServe(*addr, &replay{of: *of}))
	os.Exit(1)
}

// replay keeps an answer for each request that was seen.
type replay struct {
	of      string   // server asked for what is not kept
	answers sync.Map // request's method, address, headers that choose a form, and body, to its *answer
}

// answer is what a server said, once.
type answer struct {
	status int
	form   string // Content-Type
	body   []byte
}

// ServeHTTP gives back what the server said to the same request, and asks it where nothing is kept. What is not a success is not kept.
func (p *replay) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	key := r.Method + "\x00" + r.URL.RequestURI() + "\x00" + r.Header.Get("Accept") + "\x00" + r.Header.Get("Content-Type") + "\x00" + string(body)
	kept, ok := p.answers.Load(key)
	if !ok {
		asked, err := p.ask(r, body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		if kept = asked; asked.status == http.StatusOK {
			p.answers.Store(key, asked)
		}
	}
	a := kept.(*answer)
	w.Header().Set("Content-Type", a.form)
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body)
}

// ask passes a request on.
func (p *replay) ask(r *http.Request, body []byte) (*answer, error) {
	request, err := http.NewRequestWithContext(r.Context(), r.Method, p.of+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"Accept", "Content-Type"} {
		if value := r.Header.Get(name); value != "" {
			request.Header.Set(name, value)
		}
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	said, err := io.ReadAll(response.Body)
	return &answer{response.StatusCode, response.Header.Get("Content-Type"), said}, err
}
