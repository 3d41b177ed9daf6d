package events

import (
	"bufio"
	"io"
	"strings"
)

// writeBuffer is how much of an event is put together before it is passed on.
const writeBuffer = 32 << 10

// Writer writes events, each in parts: Begin, the data by Write, End. Errors stay, and End and Comment return them. It is not safe for
// concurrent use.
type Writer struct{ out *bufio.Writer }

// NewWriter returns a Writer to out.
func NewWriter(out io.Writer) *Writer { return &Writer{bufio.NewWriterSize(out, writeBuffer)} }

// Begin begins an event of a name. The id is what a client will send to go on after it; "" leaves it at that of the event before.
func (w *Writer) Begin(name, id string) {
	w.field("event", name)
	if id != "" {
		w.field("id", id)
	}
	w.out.WriteString("data: ")
}

// field writes one line; a line break in the value would be another field.
func (w *Writer) field(name, value string) {
	w.out.WriteString(name + ": " + oneLine(value) + "\n")
}

var lineBreaks = strings.NewReplacer("\n", " ", "\r", " ", "\x00", " ")

func oneLine(text string) string { return lineBreaks.Replace(text) }

// Write writes a part of the data, which must have no line breaks; JSON need not have any.
func (w *Writer) Write(data []byte) (int, error) { return w.out.Write(data) }

// End ends an event and passes all of it on.
func (w *Writer) End() error {
	w.out.WriteString("\n\n")
	return w.out.Flush()
}

// Comment writes a line that readers pass over.
func (w *Writer) Comment(text string) error {
	w.out.WriteString(": " + oneLine(text) + "\n\n")
	return w.out.Flush()
}
