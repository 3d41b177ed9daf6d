package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"
)

// message is what a client sends over a WebSocket, by SPARQL 1.1 Subscribe Language of SEPA: one of its members.
type message struct {
	Subscribe   *subscribeMessage   `json:"subscribe"`
	Unsubscribe *unsubscribeMessage `json:"unsubscribe"`
}

// subscribeMessage makes a query stand. The members behind Authorization are ours, as the parameters of server-sent events.
type subscribeMessage struct {
	SPARQL        string    `json:"sparql"`
	Alias         string    `json:"alias"`
	DefaultGraphs oneOrMore `json:"default-graph-uri"`
	NamedGraphs   oneOrMore `json:"named-graph-uri"`
	Authorization string    `json:"authorization"`

	Semantics scalar `json:"semantics"`
	Timeout   scalar `json:"timeout"`
	After     scalar `json:"after"`
	Snapshot  scalar `json:"snapshot"`
	Gone      scalar `json:"gone"`
	// Progress asks to be told, by a notification without rows, how far the commits were looked at.
	Progress bool `json:"progress"`
}

// unsubscribeMessage ends a subscription of the same connection.
type unsubscribeMessage struct {
	SPUID string `json:"spuid"`
	Alias string `json:"alias"`
}

// readMessage reads what a client has sent.
func readMessage(text []byte) (m *message, problem *Problem) {
	m = &message{}
	if !utf8.Valid(text) {
		return m, badRequest("the message is not UTF-8")
	}
	if err := json.Unmarshal(text, m); err != nil {
		return m, badRequest("the message is not as SEPA has it: " + cutQuery(err.Error(), 200))
	}
	if (m.Subscribe == nil) == (m.Unsubscribe == nil) {
		return m, badRequest(`expected a message with one member, "subscribe" or "unsubscribe"`)
	}
	return m, nil
}

// alias is the name that the client gives to what it asks for; "" where it gives none.
func (m *message) alias() string {
	switch {
	case m.Subscribe != nil:
		return m.Subscribe.Alias
	case m.Unsubscribe != nil:
		return m.Unsubscribe.Alias
	}
	return ""
}

// request reads what is asked as the request r with the same in its parameters is read.
func (m *subscribeMessage) request(s *Server, r *http.Request) (*request, *Problem) {
	if m.SPARQL == "" {
		return nil, badRequest(`expected a query in the member "sparql"`)
	}
	values := url.Values{"query": {m.SPARQL}, "default-graph-uri": m.DefaultGraphs, "named-graph-uri": m.NamedGraphs}
	for name, value := range map[string]scalar{"semantics": m.Semantics, "timeout": m.Timeout, "after": m.After, "snapshot": m.Snapshot, "gone": m.Gone} {
		values.Set(name, string(value))
	}
	request, problem := s.checkQuery(r, values, standingExtras)
	if problem == nil {
		request.stands.quiet = !m.Progress
	}
	return request, problem
}

// oneOrMore is a list of strings; one may stand by itself.
type oneOrMore []string

// UnmarshalJSON reads it.
func (l *oneOrMore) UnmarshalJSON(text []byte) error {
	if strings.HasPrefix(string(text), "[") {
		return json.Unmarshal(text, (*[]string)(l))
	}
	var one *string
	if err := json.Unmarshal(text, &one); err != nil {
		return err
	}
	if *l = nil; one != nil {
		*l = oneOrMore{*one}
	}
	return nil
}

// scalar is a string, or the text of a number or a boolean.
type scalar string

// UnmarshalJSON reads it.
func (s *scalar) UnmarshalJSON(text []byte) error {
	switch text[0] {
	case '[', '{':
		return errors.New("expected a string, a number or a boolean")
	case '"':
		return json.Unmarshal(text, (*string)(s))
	case 'n':
		return nil
	}
	*s = scalar(text)
	return nil
}

// errorMessage is a problem as SEPA tells of it. The members behind Alias are ours.
type errorMessage struct {
	Error       string   `json:"error"`
	Status      int      `json:"status_code"`
	Description string   `json:"error_description"`
	Alias       string   `json:"alias,omitempty"`
	SPUID       string   `json:"spuid,omitempty"`
	Line        int      `json:"line,omitempty"`
	Column      int      `json:"column,omitempty"`
	Expected    []string `json:"expected,omitempty"`
	Hint        string   `json:"hint,omitempty"`
}

func errorMessageOf(p *Problem, alias, spuid string) errorMessage {
	return errorMessage{Error: strings.ReplaceAll(p.Title, " ", "_"), Status: p.Status, Description: p.Detail, Alias: alias, SPUID: spuid,
		Line: p.Line, Column: p.Column, Expected: p.Expected, Hint: p.Hint}
}

// notification is the head of what tells of a change; addedResults and removedResults follow.
type notification struct {
	SPUID    string `json:"spuid"`
	Alias    string `json:"alias,omitempty"`
	Sequence uint64 `json:"sequence"`
	Commit   uint64 `json:"commit"`
	ID       string `json:"id,omitempty"`
	Way      string `json:"way"`
	Held     int64  `json:"memoryBytes"`
}

// begin is the text of a notification, up to its rows.
func (n *notification) begin() []byte {
	text, _ := json.Marshal(n) // of strings and numbers
	return fmt.Appendf(nil, `{"notification":%s`, text[:len(text)-1])
}
