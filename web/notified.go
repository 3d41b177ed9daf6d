package web

import (
	"context"
	"errors"
	"io"

	"github.com/rdfgpu/rdfgpu"
)

// notified is told of one query over a WebSocket, by notifications of SEPA.
type notified struct {
	*subscription
	socket *socket
	alias  string
	// sequence numbers the notifications.
	sequence uint64
	bytes    int64
	err      error
}

// tell sends a notification.
func (n *notified) tell(c *rdfgpu.Change, _, id string) error {
	head := notification{SPUID: n.query.ID, Alias: n.alias, Sequence: n.sequence, Commit: c.Sequence, ID: id, Way: c.Way.String(), Held: c.Held}
	n.sequence++
	return n.write(func(out io.Writer) {
		out.Write(head.begin())
		writeRows(out, "addedResults", c.Variables, c.Added)
		writeRows(out, "removedResults", c.Variables, c.Removed)
		io.WriteString(out, "}}")
	})
}

// write sends a message.
func (n *notified) write(fill func(io.Writer)) error {
	sent, err := n.socket.write(fill)
	n.bytes += sent
	if n.err == nil {
		n.err = err
	}
	return err
}

// rest sends nothing: the connection is looked after for all its queries.
func (n *notified) rest() error { return nil }

// conclude says that the client has unsubscribed, or why else there is no more.
func (n *notified) conclude(p *Problem) {
	if n.err != nil || n.socket.ctx.Err() != nil {
		return
	}
	if errors.Is(context.Cause(n.ctx), errUnsubscribed) {
		_, _ = n.socket.send(map[string]any{"unsubscribed": map[string]string{"spuid": n.query.ID, "alias": n.alias}})
		return
	}
	_, _ = n.socket.send(errorMessageOf(p, n.alias, n.query.ID))
	n.server.metrics.standing.events[eventEnd].Inc()
}

// failed is why the connection has ended.
func (n *notified) failed() error {
	if n.err != nil {
		return n.err
	}
	if n.socket.ctx.Err() != nil {
		return context.Cause(n.socket.ctx)
	}
	return nil
}

// sent is how long the notifications were.
func (n *notified) sent() int64 { return n.bytes }
