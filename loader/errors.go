package loader

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

// SyntaxError says where a document breaks the rules of its format, and how.
type SyntaxError struct {
	// File is the input's name as it was given; "" for a reader without a name.
	File string
	// Line counts from 1.
	Line int64
	// Column counts characters from 1; 0 when the reader of the format does not know it.
	Column int
	// Message says what was expected, or what was wrong.
	Message string
}

// Error gives file:line:column: message.
func (e *SyntaxError) Error() string {
	file := e.File
	if file == "" {
		file = "input"
	}
	if e.Column == 0 {
		return fmt.Sprintf("%s:%d: %s", file, e.Line, e.Message)
	}
	return fmt.Sprintf("%s:%d:%d: %s", file, e.Line, e.Column, e.Message)
}

// unpackError says that a packed file cannot be unpacked, from some place on. It hides the error of the unpacker, so that nobody
// takes the end of the file for that of a document.
type unpackError struct {
	compression Compression
	message     string
}

func (e *unpackError) Error() string {
	return fmt.Sprintf("unpacking %s: %s: the file is cut short or damaged: fetch it or pack it again", e.compression, e.message)
}

// named puts the file's name into an error that says nothing of a file.
func named(err error, file string) error {
	var fault *SyntaxError
	if errors.As(err, &fault) && fault.File == "" {
		fault.File = file
	}
	return err
}

// column turns a byte offset within a line into a column, counting characters from 1.
func column(line []byte, offset int) int {
	return utf8.RuneCount(line[:min(offset, len(line))]) + 1
}

// found describes the character at the start of b for an error message.
func found(b []byte) string {
	if len(b) == 0 {
		return "the end of the line"
	}
	r, size := utf8.DecodeRune(b)
	switch {
	case r == utf8.RuneError && size <= 1:
		return fmt.Sprintf("the byte 0x%02X, which is not UTF-8", b[0])
	case r == '\n' || r == '\r':
		return "the end of the line"
	case r < 0x20 || r == 0x7f:
		return fmt.Sprintf("the control character U+%04X", r)
	}
	return fmt.Sprintf("%q", r)
}
