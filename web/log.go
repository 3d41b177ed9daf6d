package web

import (
	"context"
	"log/slog"
	"runtime"
	"time"
)

// logQuery writes one line for a query: at level Info for a slow one, Warn for one that failed by the server's fault
// or a limit, Debug for the rest.
func (s *Server) logQuery(x *exchange, outcome string, elapsed time.Duration, bytes int64, p *Problem) {
	level := s.levelOf(outcome, elapsed)
	if !s.options.Log.Enabled(context.Background(), level) {
		return
	}
	attributes := []slog.Attr{
		slog.String("query", x.query.ID), slog.String("request", requestOf(x.r)), slog.String("outcome", outcome), slog.Duration("elapsed", elapsed),
		slog.Duration("waited", time.Duration(x.query.began.Load())), slog.Uint64("rows", x.rows), slog.Int64("bytes", bytes),
		slog.String("client", x.r.RemoteAddr), slog.String("text", cutQuery(x.request.text, 1000)),
	}
	if p != nil {
		attributes = append(attributes, slog.String("problem", p.Title+": "+p.Detail))
	}
	s.options.Log.LogAttrs(context.Background(), level, "query", append(attributes, traceOf(x.r)...)...)
}

// logChange writes one line for what changes the store, at the levels of queries.
func (s *Server) logChange(c *change, outcome string, elapsed time.Duration, p *Problem) {
	level := s.levelOf(outcome, elapsed)
	if !s.options.Log.Enabled(context.Background(), level) {
		return
	}
	attributes := []slog.Attr{
		slog.String("update", c.query.ID), slog.String("request", requestOf(c.r)), slog.String("outcome", outcome), slog.Duration("elapsed", elapsed),
		slog.Duration("waited", time.Duration(c.query.began.Load())), slog.Uint64("sequence", c.report.Sequence), slog.Uint64("added", c.report.Added),
		slog.Uint64("removed", c.report.Removed), slog.Bool("dry_run", c.dryRun), slog.String("client", c.r.RemoteAddr), slog.String("text", cutQuery(c.text, 1000)),
	}
	if p != nil {
		attributes = append(attributes, slog.String("problem", p.Title+": "+p.Detail))
	}
	s.options.Log.LogAttrs(context.Background(), level, "update", append(attributes, traceOf(c.r)...)...)
}

// levelOf is how much of the log's attention an outcome is worth.
func (s *Server) levelOf(outcome string, elapsed time.Duration) slog.Level {
	switch {
	case outcome == "error" || outcome == "memory":
		return slog.LevelWarn
	case outcome == "timeout" || outcome == "rows" || outcome == "slow" || outcome == "stalled" || elapsed >= s.options.SlowQuery:
		return slog.LevelInfo
	}
	return slog.LevelDebug
}

// stack is the calling goroutine's stack, cut to a readable length.
func stack() string {
	b := make([]byte, 8<<10)
	return string(b[:runtime.Stack(b, false)])
}
