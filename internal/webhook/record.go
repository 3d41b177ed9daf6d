package webhook

import (
	"strconv"
	"time"
)

// Record is a webhook as it is kept.
type Record struct {
	ID  string `json:"id"`
	URL string `json:"url"`
	// Secret signs what is posted.
	Secret Secret `json:"secret"`
	// Parameters are what was asked for, Base resolves relative IRIs in it.
	Parameters map[string][]string `json:"parameters"`
	Base       string              `json:"base"`
	// Client is the address that asked, Owner tells the token that it showed; "" where it showed none.
	Client  string    `json:"client"`
	Owner   string    `json:"owner,omitempty"`
	Created time.Time `json:"created"`
	// Position is up to where the receiver knows all: what to go on after. "" where it knows nothing.
	Position string `json:"position,omitempty"`
	// Delivered is how many messages the receiver has taken, Failed how often it failed to since it took one.
	Delivered uint64 `json:"delivered"`
	Failed    uint64 `json:"failed,omitempty"`
	// Pending is the message that it has not taken yet; nil where there is none.
	Pending *Message `json:"pending,omitempty"`
	// Since is when the receiver, or what is told, failed first without a success after; zero where it does not fail.
	Since time.Time `json:"since,omitzero"`
	// Trouble is why it failed last; Ended that nothing more is posted.
	Trouble string `json:"trouble,omitempty"`
	Ended   bool   `json:"ended,omitempty"`
}

// Message is one thing to tell.
type Message struct {
	// Number counts the messages of a webhook from 1.
	Number uint64 `json:"number"`
	Event  string `json:"event"`
	// Position is where the receiver is once it has taken it.
	Position string `json:"position,omitempty"`
	Body     []byte `json:"body"`
}

// MessageID is the id of a message of a webhook, the same each time that it is posted.
func (r *Record) MessageID(m *Message) string { return r.ID + "-" + strconv.FormatUint(m.Number, 10) }

// Took notes that the receiver has taken what was pending.
func (r *Record) Took() {
	r.Position, r.Delivered, r.Pending = r.Pending.Position, r.Pending.Number, nil
	r.Recovered()
}

// Recovered notes a success.
func (r *Record) Recovered() { r.Failed, r.Since, r.Trouble = 0, time.Time{}, "" }

// Fail notes a failure, and returns how long it has gone on.
func (r *Record) Fail(now time.Time, why string) time.Duration {
	if r.Since.IsZero() {
		r.Since = now
	}
	r.Failed++
	r.Trouble = why
	return now.Sub(r.Since)
}
