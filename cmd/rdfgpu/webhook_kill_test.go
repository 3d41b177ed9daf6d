package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/internal/webhook"
)

// recipient is what a webhook posts to: it fails now and then, also behind having taken a message, and knows messages that come again.
type recipient struct {
	mu       sync.Mutex
	secret   webhook.Secret // nil: signatures are not looked at
	seen     map[string]string
	sum      multiset
	sequence uint64
	again    int
	steady   bool
	err      error
}

// ServeHTTP takes a message.
func (p *recipient) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	fate := rand.IntN(10)
	if !p.steady && fate < 2 {
		w.WriteHeader(503)
		return
	}
	if err := p.take(r.Header, body); err != nil && p.err == nil {
		p.err = err
	}
	if !p.steady && fate < 4 { // the answer is lost
		panic(http.ErrAbortHandler)
	}
}

// take adds a message up, unless it was taken before.
func (p *recipient) take(header http.Header, body []byte) error {
	id := header.Get("webhook-id")
	seconds, _ := strconv.ParseInt(header.Get("webhook-timestamp"), 10, 64)
	if p.secret != nil && p.secret.Sign(id, time.Unix(seconds, 0), body) != header.Get("webhook-signature") {
		return fmt.Errorf("message %s is not signed", id)
	}
	if before, again := p.seen[id]; again {
		if p.again++; before != string(body) {
			return fmt.Errorf("message %s was %s and is %s", id, before, body)
		}
		return nil
	}
	p.seen[id] = string(body)
	if !strings.HasSuffix(id, "-"+strconv.Itoa(len(p.seen))) {
		return fmt.Errorf("message %s is the %d.", id, len(p.seen))
	}
	var data struct {
		Sequence       uint64
		Added, Removed json.RawMessage
	}
	err := json.Unmarshal(body, &data)
	switch event := header.Get("X-Rdfgpu-Event"); {
	case err != nil:
		return err
	case (event == "snapshot") != (len(p.seen) == 1):
		return fmt.Errorf("message %s is a %s", id, event)
	case data.Sequence < p.sequence:
		return fmt.Errorf("commit %d comes after %d", data.Sequence, p.sequence)
	}
	p.sequence = data.Sequence
	if err := p.sum.add(bytes.NewReader(data.Added), 1); err != nil {
		return err
	}
	return p.sum.add(bytes.NewReader(data.Removed), -1)
}

// TestWebhooksGoOnOverDeaths: a server that is killed in the middle of writes and of posts, and receivers that fail and whose answers are
// lost: what they took, each message once by its id, adds up to the solutions. RDFGPU_KILLS is how often the server dies.
func TestWebhooksGoOnOverDeaths(t *testing.T) {
	kills, k := deaths(), newKillable(t, followingEachOther)
	queries := []string{
		"PREFIX : <http://e/> SELECT ?a ?b { ?a :p ?b . ?b :p ?a }",
		"PREFIX : <http://e/> SELECT ?b (COUNT(*) AS ?n) { ?a :p ?b } GROUP BY ?b",
		"PREFIX : <http://e/> SELECT ?a ?c { ?a :p ?b OPTIONAL { ?b :p ?c . ?c :p ?a } }",
	}
	var recipients []*recipient
	var servers []*httptest.Server
	for range queries {
		p := &recipient{seen: map[string]string{}, sum: multiset{}}
		s := httptest.NewServer(p)
		defer s.Close()
		recipients, servers = append(recipients, p), append(servers, s)
	}
	k.flags = []string{"--webhook-allow", servers[0].URL, "--webhook-allow", servers[1].URL, "--webhook-allow", servers[2].URL}
	k.start()
	defer func() { k.end(os.Kill) }()
	for i, q := range queries {
		k.register(servers[i].URL, q, recipients[i])
	}
	for range kills {
		for until := time.Now().Add(time.Duration(150+rand.IntN(300)) * time.Millisecond); time.Now().Before(until); {
			edge := func() string { return fmt.Sprintf(":n%d :p :n%d", rand.IntN(6), rand.IntN(6)) }
			k.update(fmt.Sprintf("DELETE DATA { %s . %s } ; INSERT DATA { %s . %s }", edge(), edge(), edge(), edge()))
		}
		k.end(os.Kill)
		k.start()
	}
	for _, p := range recipients {
		p.mu.Lock()
		p.steady = true
		p.mu.Unlock()
	}
	if _, ok := k.update("INSERT DATA { :end :p :n1 . :n1 :p :end }"); !ok {
		t.Fatal("the last update is not answered")
	}
	for i, q := range queries {
		k.settles(recipients[i], q)
	}
	http.DefaultClient.CloseIdleConnections()
}

// register asks for a webhook.
func (k *killable) register(address, query string, p *recipient) {
	k.t.Helper()
	secret := webhook.NewSecret()
	p.mu.Lock()
	p.secret = secret
	p.mu.Unlock()
	response, err := http.PostForm(k.url("subscribe"), url.Values{"query": {query}, "callback": {address}, "secret": {secret.Text()}})
	if err != nil {
		k.t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != 201 {
		body, _ := io.ReadAll(response.Body)
		k.t.Fatalf("%s: %s", response.Status, body)
	}
}

// settles waits until what a recipient was told is what the query answers.
func (k *killable) settles(p *recipient, query string) {
	k.t.Helper()
	want := k.solutions(query, "homomorphism")
	for until := time.Now().Add(2 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
		p.mu.Lock()
		settled, err, told := maps.Equal(p.sum, want), p.err, fmt.Sprint(p.sum)
		messages, again := len(p.seen), p.again
		p.mu.Unlock()
		if err != nil {
			k.t.Fatalf("%s: %v", query, err)
		}
		if settled {
			k.t.Logf("%d messages, %d came again: %s", messages, again, query)
			return
		}
		if time.Now().After(until) {
			k.t.Fatalf("%s: %s was told, %v is there", query, told, want)
		}
	}
}
