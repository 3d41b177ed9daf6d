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
	level := slog.LevelDebug
	switch {
	case outcome == "error" || outcome == "memory":
		level = slog.LevelWarn
	case outcome == "timeout" || outcome == "rows" || outcome == "slow" || outcome == "stalled" || elapsed >= s.options.SlowQuery:
		level = slog.LevelInfo
	}
	if !s.options.Log.Enabled(context.Background(), level) {
		return
	}
	attributes := []slog.Attr{
		slog.String("query", x.query.ID), slog.String("outcome", outcome), slog.Duration("elapsed", elapsed),
		slog.Duration("waited", time.Duration(x.query.began.Load())), slog.Uint64("rows", x.rows), slog.Int64("bytes", bytes),
		slog.String("client", x.r.RemoteAddr), slog.String("text", cutQuery(x.request.text, 1000)),
	}
	if p != nil {
		attributes = append(attributes, slog.String("problem", p.Title+": "+p.Detail))
	}
	s.options.Log.LogAttrs(context.Background(), level, "query", attributes...)
}

// stack is the calling goroutine's stack, cut to a readable length.
func stack() string {
	b := make([]byte, 8<<10)
	return string(b[:runtime.Stack(b, false)])
}
