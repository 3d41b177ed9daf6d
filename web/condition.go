package web

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/rdfgpu/rdfgpu"
)

// sequenceTag is the entity tag of the store at a sequence: that of the answer to an update, and what If-Match takes.
func sequenceTag(sequence uint64) string { return `"` + strconv.FormatUint(sequence, 10) + `"` }

// graphTag is the entity tag of a graph in a syntax. It is strong, so that If-Match takes it too.
func (e *edition) graphTag(sequence uint64, format rdfgpu.Format) string {
	return fmt.Sprintf(`"%d-%s-%s"`, sequence, e.name, format)
}

// answerTag is the entity tag of the answer to a query. It is weak: another run may find the rows in another order.
func (e *edition) answerTag(sequence uint64, q *request, o offer) string {
	var short [512]byte
	key := strconv.AppendInt(short[:0], int64(q.send), 10)
	for _, part := range [...]string{string(o.format), o.contentType} {
		key = strconv.AppendQuote(append(key, ' '), part)
	}
	hash := xxh3.Hash(q.appendAsked(key))
	tag := append(strconv.AppendUint(append(short[:0], `W/"`...), sequence, 10), '-')
	tag = append(append(tag, e.name...), '-')
	return string(append(strconv.AppendUint(tag, hash, 36), '"'))
}

// appendAsked appends what is asked, and of what.
func (q *request) appendAsked(key []byte) []byte {
	key = strconv.AppendInt(append(key, ' '), int64(q.options.Semantics), 10)
	key = strconv.AppendQuote(append(key, ' '), q.options.Base)
	for _, graphs := range [...][]string{q.options.DefaultGraphs, q.options.NamedGraphs} {
		key = append(key, " ["...)
		for _, g := range graphs {
			key = strconv.AppendQuote(key, g)
		}
		key = append(key, ']')
	}
	return append(key, q.text...)
}

// packedTag is the tag of a compressed representation: other bytes, so another strong tag.
func packedTag(tag, encoding string) string {
	if !strings.HasPrefix(tag, `"`) {
		return tag
	}
	return tag[:len(tag)-1] + "-" + encoding + `"`
}

// entityTags is the value of If-Match or If-None-Match (RFC 9110, section 13.1).
type entityTags struct {
	any  bool // *
	list []string
}

// readTags reads a header of tags; ok is false where it is not well formed.
func readTags(header []string) (tags entityTags, ok bool) {
	rest := strings.TrimSpace(strings.Join(header, ","))
	if rest == "*" {
		return entityTags{any: true}, true
	}
	for rest != "" {
		quote := 0
		if strings.HasPrefix(rest, "W/") {
			quote = 2
		}
		if len(rest) <= quote || rest[quote] != '"' {
			return tags, false
		}
		end := strings.IndexByte(rest[quote+1:], '"')
		if end < 0 {
			return tags, false
		}
		end += quote + 2
		tags.list = append(tags.list, rest[:end])
		rest = strings.TrimLeft(rest[end:], " \t")
		if rest != "" && rest[0] != ',' {
			return tags, false
		}
		rest = strings.TrimLeft(rest, ", \t")
	}
	return tags, true
}

func (t *entityTags) empty() bool { return !t.any && len(t.list) == 0 }

// has reports whether a tag is listed, by weak comparison and compressed or not.
func (t *entityTags) has(tag string) bool {
	plain := strings.TrimPrefix(tag, "W/")
	return t.any || slices.ContainsFunc(t.list, func(listed string) bool {
		listed = strings.TrimPrefix(listed, "W/")
		return listed == plain || listed == packedTag(plain, "gzip") || listed == packedTag(plain, "zstd")
	})
}

// unchanged reports whether a client that asks for a representation has the one with a tag already.
func unchanged(r *http.Request, tag string) bool {
	header := r.Header["If-None-Match"]
	if len(header) == 0 || r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	tags, ok := readTags(header)
	return ok && tags.has(tag)
}

// condition is what a request that changes the store wants it to be, by If-Match and If-None-Match.
type condition struct{ match, unlike entityTags }

func readCondition(r *http.Request) (c condition, problem *Problem) {
	for name, tags := range map[string]*entityTags{"If-Match": &c.match, "If-None-Match": &c.unlike} {
		var ok bool
		if *tags, ok = readTags(r.Header[name]); !ok {
			problem = badRequest(fmt.Sprintf("the header %s is no list of entity tags: expected a sequence in quotation marks, such as \"17\", or *", name))
		}
	}
	return c, problem
}

// pin returns the sequence at which the condition holds, for the engine to begin at; nil where any will do. exists says whether
// what is changed is there. Where the condition does not hold, the error wraps rdfgpu.ErrConflict, or is a problem of that status.
func (c *condition) pin(e *edition, exists func() (bool, error)) (*uint64, error) {
	if c.match.empty() && c.unlike.empty() {
		return nil, nil
	}
	now := e.Sequence()
	failed := fmt.Errorf("%w: it is at sequence %d", rdfgpu.ErrConflict, now)
	if len(c.match.list) > 0 && !slices.ContainsFunc(c.match.list, func(tag string) bool { return e.isAt(tag, now) }) ||
		slices.ContainsFunc(c.unlike.list, func(tag string) bool { return e.isAt(strings.TrimPrefix(tag, "W/"), now) }) {
		return nil, failed
	}
	if c.match.any || c.unlike.any {
		there, err := exists()
		switch {
		case err != nil:
			return nil, err
		case c.match.any && !there:
			return nil, presence("If-Match: * wants what there is, and there is no such graph")
		case c.unlike.any && there:
			return nil, presence("If-None-Match: * wants a new graph, and this one is there already")
		}
	}
	return &now, nil
}

// presence is the problem of a condition on whether something is there.
func presence(detail string) error {
	return problemError{&Problem{Status: http.StatusPreconditionFailed, Title: "precondition failed", Detail: detail, outcome: "conflict"}}
}

// isAt reports whether a strong tag is one of the store at a sequence: its own, or one of a graph, as this edition was read.
func (e *edition) isAt(tag string, sequence uint64) bool {
	number, rest, long := strings.Cut(strings.Trim(tag, `"`), "-")
	n, err := strconv.ParseUint(number, 10, 64)
	if err != nil || n != sequence || !strings.HasPrefix(tag, `"`) {
		return false
	}
	name, _, _ := strings.Cut(rest, "-")
	return !long || name == e.name
}
