package generate

import (
	"context"
	"io"
	"runtime"
	"sync"
)

// writeBlocks makes the text of blocks 0 … n-1 on all cores and writes them in order. block appends the text of one
// block to an empty buffer and returns it with the number of triples in it; it must depend on nothing but the number.
func writeBlocks(ctx context.Context, w io.Writer, n int, block func(number int, text []byte) ([]byte, uint64)) (uint64, error) {
	type part struct {
		text    []byte
		triples uint64
	}
	threads := min(runtime.GOMAXPROCS(0), max(n, 1))
	parts := make([]chan part, threads)
	free := make(chan []byte, 2*threads)
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	for t := range threads {
		parts[t] = make(chan part, 1)
		running.Go(func() {
			for number := t; number < n; number += threads {
				var p part
				select {
				case p.text = <-free:
				default:
				}
				p.text, p.triples = block(number, p.text)
				select {
				case parts[t] <- p:
				case <-ctx.Done():
					return
				}
			}
		})
	}
	var triples uint64
	for number := range n {
		select {
		case p := <-parts[number%threads]:
			if _, err := w.Write(p.text); err != nil {
				return triples, err
			}
			triples += p.triples
			select {
			case free <- p.text[:0]:
			default:
			}
		case <-ctx.Done():
			return triples, ctx.Err()
		}
	}
	return triples, nil
}
