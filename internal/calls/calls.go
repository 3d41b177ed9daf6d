package calls

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// EventKind says what an event is.
type EventKind int32

// The kinds of events. Every call ends with one of the kind Done or Failed, after which come no others.
const (
	// Pending: nothing happened in the time that was waited.
	Pending EventKind = iota
	// Told: Text is JSON about what goes on: the head of an answer, the progress of a load.
	Told
	// Rows: Records is a batch, which the receiver releases.
	Rows
	// Bytes: Text is a piece of a document.
	Bytes
	// Done: Text is the result as JSON.
	Done
	// Failed: Text is a Failure as JSON.
	Failed
)

// Event is what a call tells.
type Event struct {
	Kind    EventKind
	Text    []byte
	Records arrow.RecordBatch
}

// ahead is how many events a call may be ahead of its reader.
const ahead = 2

// Call is a request that goes on. Its methods may be called from any goroutine, Wait from one at a time.
type Call struct {
	engine *Engine
	ctx    context.Context
	cancel context.CancelCauseFunc
	events chan Event
	ended  chan struct{} // closed once last is there
	last   Event
}

// errCancelled is why a call ended that was cancelled.
var errCancelled = errors.New("the call was cancelled")

// request is what every call has.
type request struct {
	Method string `json:"method"`
}

// Start begins the call that a JSON object describes: its member "method" is the name of a method, the others are its parameters.
// What is wrong with the request is told by the first event.
func (e *Engine) Start(text []byte) *Call {
	c := &Call{engine: e, events: make(chan Event, ahead), ended: make(chan struct{})}
	c.ctx, c.cancel = context.WithCancelCause(context.Background())
	go c.run(text)
	return c
}

// run does what is asked for and keeps how it ended.
func (c *Call) run(text []byte) {
	defer close(c.ended)
	defer c.cancel(nil)
	result, err := c.answer(text)
	var out []byte
	if err == nil {
		out, err = json.Marshal(result)
	}
	if err != nil {
		c.last = Event{Kind: Failed, Text: failure(err).json()}
		return
	}
	c.last = Event{Kind: Done, Text: out}
}

// answer calls the method; a panic in it is an error.
func (c *Call) answer(text []byte) (result any, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = panicked{r}
		}
	}()
	var r request
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("%w: %v", errRequest, err)
	}
	do, known := methods[r.Method]
	if !known {
		return nil, fmt.Errorf("%w: there is no method %q", errRequest, r.Method)
	}
	return do(c, text)
}

// tell sends an event once there is room for it, unless the call has been cancelled.
func (c *Call) tell(e Event) error {
	select {
	case c.events <- e:
		return nil
	case <-c.ctx.Done():
		return context.Cause(c.ctx)
	}
}

// tellJSON tells what goes on.
func (c *Call) tellJSON(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return c.tell(Event{Kind: Told, Text: text})
}

// Wait returns the next event, or one of the kind Pending after so long.
func (c *Call) Wait(most time.Duration) Event {
	select {
	case e := <-c.events:
		return e
	default:
	}
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case e := <-c.events:
		return e
	case <-c.ended:
	case <-timer.C:
		return Event{Kind: Pending}
	}
	select { // what was told before the end
	case e := <-c.events:
		return e
	default:
		return c.last
	}
}

// Cancel ends the call soon; its end is still to be waited for.
func (c *Call) Cancel() { c.cancel(errCancelled) }

// Close cancels the call, waits for its end and drops what was not read.
func (c *Call) Close() {
	c.Cancel()
	<-c.ended
	for {
		select {
		case e := <-c.events:
			if e.Records != nil {
				e.Records.Release()
			}
		default:
			return
		}
	}
}

// Engine has the open stores. It is safe for any number of goroutines.
type Engine struct {
	memory memory.Allocator
	mu     sync.Mutex
	stores map[uint64]*opened
	number uint64
}

// New makes an engine whose rows are in memory of an allocator.
func New(mem memory.Allocator) *Engine {
	return &Engine{memory: mem, stores: map[uint64]*opened{}}
}
