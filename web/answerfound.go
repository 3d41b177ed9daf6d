package web

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// known looks for the answer to a request, as it came, among those that are kept, and answers with it where it is small: without a context, a
// place in the list of what runs, or a timer, because nothing runs and the answer leaves in one write. False where the query goes on: with
// x.found, where a large answer is kept.
func (x *exchange) known(content content, began time.Time) bool {
	if !x.mayBeKept(content) {
		return false
	}
	var room [1024]byte
	key := appendAnswerKey(room[:0], x.r, content)
	engine, done := x.server.use()
	defer done()
	found, again := x.server.answers.find(storeState{engine.name, engine.Sequence()}, key)
	if found == nil {
		if again {
			x.key = string(key)
		}
		return false
	}
	x.found, x.request, x.offer, x.rows = found, found.request, found.offer, found.rows
	setField(x.w, "Cache-Status", "rdfgpu; hit")
	limit := began.Add(x.request.options.Timeout)
	if !found.small() || x.ctx.Err() != nil || !time.Now().Before(limit) {
		return false
	}
	x.name(began)
	if !x.says(found.sequence, found.tag) {
		x.sendFound(limit)
	}
	return true
}

// sendFound sends the small answer that was found, until the query's time limit.
func (x *exchange) sendFound(limit time.Time) {
	setField(x.w, "Content-Type", x.offer.header())
	setField(x.w, headerRows, x.found.rowsText)
	x.body = openResponse(x.ctx, x.w, x.r)
	defer x.body.release()
	err := x.eachFound(func(b []byte) error { return x.body.whole(b, limit) })
	if err == nil {
		x.log(nil)
		return
	}
	problem := x.broken(err)
	if !time.Now().Before(limit) {
		problem = problemOf(x.ctx, limitPassed(x.request.options.Timeout))
	}
	x.log(problem)
	panic(http.ErrAbortHandler)
}

// repeat sends the large answer that was found.
func (x *exchange) repeat() {
	if x.says(x.found.sequence, x.found.tag) {
		return
	}
	x.begin() // nobody else answers a query that does not run
	x.conclude(x.eachFound(func(b []byte) error {
		if _, err := x.body.Write(b); err != nil {
			return err
		}
		return x.ctx.Err()
	}))
}

// eachFound hands the body of the answer that was found to send, block by block: compressed, where the client takes that and it is worth it.
func (x *exchange) eachFound(send func([]byte) error) error {
	encoding := x.body.encoding
	if x.found.plain.length < compressFrom {
		encoding = ""
	}
	x.body.packed = encoding != ""
	return x.server.answers.each(x.found, encoding, send)
}

// mayBeKept reports whether the request's answer may be a kept one, or become one.
func (x *exchange) mayBeKept(content content) bool {
	if method := x.r.Method; x.server.answers == nil || method != http.MethodGet && method != http.MethodHead && method != http.MethodPost {
		return false
	}
	if content.media == mediaUpdate || int64(len(content.text)+len(x.r.URL.RawQuery)) > x.server.answers.most/answerShare {
		return false
	}
	for _, wish := range x.r.Header["Cache-Control"] {
		if strings.Contains(wish, "no-cache") || strings.Contains(wish, "no-store") {
			return false
		}
	}
	return true
}

// appendAnswerKey appends all of a request that the answer depends on beside the store's state: whatever understand and negotiate look at. Parameters
// mean the same in the address and in a form, so that they are the same part of the key. A query that is a body by itself has a key of its own: to
// know it again among parameters these would have to be unescaped at every look.
func appendAnswerKey(key []byte, r *http.Request, content content) []byte {
	if content.media == "" || content.media == mediaForm { // "" is of all methods but POST
		key = appendPart(appendPart(key, ""), joined(r.URL.RawQuery, content.text))
	} else {
		key = appendPart(appendPart(appendPart(key, content.media), content.text), r.URL.RawQuery)
	}
	key = appendPart(appendPart(appendPart(appendPart(key, schemeOf(r)), r.Host), mountOf(r)), r.URL.EscapedPath())
	for _, extra := range queryExtras {
		key = appendPart(key, headerOf(r, extra.header))
	}
	for _, accept := range r.Header["Accept"] {
		key = appendPart(key, accept)
	}
	return key
}

// joined are the parameters of an address and of a form as if all stood in one place.
func joined(address, form string) string {
	if address == "" || form == "" {
		return address + form
	}
	return address + "&" + form
}

// appendPart appends a part of a key, so that keys of different parts are different.
func appendPart(key []byte, part string) []byte {
	return append(append(strconv.AppendInt(key, int64(len(part)), 10), ' '), part...)
}
