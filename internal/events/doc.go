// Package events writes and reads streams of server-sent events (WHATWG HTML, section 9.2, server-sent events).
//
// Nouns: [Event], [Writer], [Reader].
//
//	r := events.NewReader(response.Body, 1<<20)
//	for {
//		event, err := r.Next() // io.EOF where the stream has ended
//	}
//
// It knows nothing of HTTP, nor of what the data of an event mean.
package events
