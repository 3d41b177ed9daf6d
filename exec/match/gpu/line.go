package gpu

import (
	"slices"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
)

// handsOut counts who waits in emit for who takes the rows.
func (p *pool) handsOut(emit func(*match.Batch) error) func(*match.Batch) error {
	return func(b *match.Batch) error {
		p.handing.Add(1)
		defer p.handing.Add(-1)
		return emit(b)
	}
}

// stuck reports whether all who have lanes wait for those who take their rows.
func (p *pool) stuck() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return int(p.handing.Load()) >= p.lanes-len(p.idle)
}

// enter puts one who waits for a lane at the end of the line; who is first may look at once.
func (p *pool) enter() chan struct{} {
	turn := make(chan struct{}, 1)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.line = append(p.line, turn); len(p.line) == 1 {
		turn <- struct{}{}
	}
	return turn
}

// leave takes one who waited out of the line; the next one may look.
func (p *pool) leave(turn chan struct{}) {
	p.mu.Lock()
	p.line = slices.DeleteFunc(p.line, func(other chan struct{}) bool { return other == turn })
	p.mu.Unlock()
	p.tell()
}

// waiting reports whether somebody waits for a lane.
func (p *pool) waiting() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.line) > 0
}

// moving reports whether a lane was given back lately.
func (p *pool) moving() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Since(p.moved) < p.d.options.patience
}

// tell lets who is first in the line look for a lane.
func (p *pool) tell() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.line) > 0 {
		select {
		case p.line[0] <- struct{}{}:
		default:
		}
	}
}
