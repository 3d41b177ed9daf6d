package events_test

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu/internal/events"
)

// read reads all events of a text.
func read(text string, limit int) (list []events.Event, r *events.Reader, err error) {
	r = events.NewReader(iotest.OneByteReader(strings.NewReader(text)), limit)
	for {
		e, err := r.Next()
		if err == io.EOF {
			return list, r, nil
		}
		if err != nil {
			return list, r, err
		}
		list = append(list, e)
	}
}

func TestStreamsAreReadAsTheStandardSays(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []events.Event
	}{
		{"nothing", "", nil},
		{"data of several lines", "data: YHOO\ndata: +2\ndata: 10\n\n", []events.Event{{Name: "message", Data: "YHOO\n+2\n10"}}},
		{"comments, ids, an id that is taken away", ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n",
			[]events.Event{{Name: "message", ID: "1", Data: "first event"}, {Name: "message", Data: "second event"}}},
		{"empty data", "data\n\ndata\ndata\n\ndata:", []events.Event{{Name: "message"}, {Name: "message", Data: "\n"}}},
		{"one space is taken off", "data:test\n\ndata: test\n\ndata:  test\n\n",
			[]events.Event{{Name: "message", Data: "test"}, {Name: "message", Data: "test"}, {Name: "message", Data: " test"}}},
		{"every end of line", "event: a\rdata: 1\r\rdata: 2\r\n\r\nevent: b\ndata: 3\r\n\n",
			[]events.Event{{Name: "a", Data: "1"}, {Name: "message", Data: "2"}, {Name: "b", Data: "3"}}},
		{"a mark of byte order", "\uFEFFdata: 1\n\n\uFEFFdata: 2\n\n", []events.Event{{Name: "message", Data: "1"}}},
		{"an id with a NUL, fields that nobody knows", "id: 1\x00\nfoo: bar\nbar\ndata: 1\n\n", []events.Event{{Name: "message", Data: "1"}}},
		{"an event without data keeps its id", "event: a\nid: 7\n\ndata: 1\n\n", []events.Event{{Name: "message", ID: "7", Data: "1"}}},
	} {
		got, _, err := read(c.text, 100)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, %v; %q is right", c.name, got, err, c.want)
		}
	}
	if _, r, _ := read("retry: 1500\n\n", 100); r.Retry() != 1500*time.Millisecond {
		t.Error(r.Retry())
	}
	if _, r, _ := read("retry: 15s\nretry\nretry: +1\n\n", 100); r.Retry() != 0 {
		t.Error(r.Retry())
	}
}

func TestEventsThatAreTooLongEndTheReading(t *testing.T) {
	for _, text := range []string{"data: " + strings.Repeat("x", 101) + "\n\n", strings.Repeat("data: 1234567890\n", 20), strings.Repeat("x", 200)} {
		if list, _, err := read(text, 100); !errors.Is(err, events.ErrTooLong) || len(list) > 0 {
			t.Errorf("%q, %v", list, err)
		}
	}
}

// TestWhatIsWrittenIsRead: events come back, whatever their names and ids are.
func TestWhatIsWrittenIsRead(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var out strings.Builder
		var want []events.Event
		w := events.NewWriter(&out)
		word := rapid.StringMatching(`[ -~äλ]{1,8}`)
		id := ""
		for range rapid.IntRange(0, 5).Draw(r, "events") {
			if rapid.Bool().Draw(r, "comment") {
				if err := w.Comment(rapid.String().Draw(r, "text")); err != nil {
					r.Fatal(err)
				}
			}
			e := events.Event{Name: word.Draw(r, "name"), ID: id, Data: strings.Join(rapid.SliceOf(word).Draw(r, "data"), "")}
			given := ""
			if rapid.Bool().Draw(r, "with an id") {
				given = word.Draw(r, "id")
				id, e.ID = given, given
			}
			w.Begin(e.Name, given)
			io.WriteString(w, e.Data)
			if err := w.End(); err != nil {
				r.Fatal(err)
			}
			want = append(want, e)
		}
		if got, _, err := read(out.String(), 1<<16); err != nil || !slices.Equal(got, want) {
			r.Fatalf("%q, %v; %q is right", got, err, want)
		}
	})
}

func TestALineBreakInANameIsNoOtherField(t *testing.T) {
	var out strings.Builder
	w := events.NewWriter(&out)
	w.Begin("a\ndata: 1", "b\r\n\r\n")
	if err := w.End(); err != nil || strings.Count(out.String(), "data:") != 2 {
		t.Error(err, out.String())
	}
	if list, _, _ := read(out.String(), 100); len(list) != 1 || list[0].Name != "a data: 1" {
		t.Errorf("%q", list)
	}
}

// FuzzReader: whatever comes, reading ends, and no event is longer than it may be.
func FuzzReader(f *testing.F) {
	f.Add("event: a\nid: 1\ndata: {}\n\n: comment\r\n\rretry: 5\n")
	f.Fuzz(func(t *testing.T, text string) {
		list, r, err := read(text, 64)
		if err != nil && !errors.Is(err, events.ErrTooLong) {
			t.Fatal(err)
		}
		for _, e := range list {
			if len(e.Data) > 64 || strings.ContainsAny(e.ID, "\x00\r\n") || strings.Contains(e.Data, "\r") {
				t.Fatalf("%q", e)
			}
		}
		if r.Retry() < 0 {
			t.Fatal(r.Retry())
		}
	})
}
