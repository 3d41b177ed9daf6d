package loader

import (
	"fmt"
	"io"
)

func readXML(r io.Reader, base, scope string, emit func(Quad) error) error {
	return fmt.Errorf("loader: %w: RDF/XML", ErrFormat)
}
