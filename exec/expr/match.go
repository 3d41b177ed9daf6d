package expr

import (
	"io"
	"regexp"
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

const (
	// maxProgram bounds the instructions of a compiled regular expression: a repetition of a repetition multiplies.
	maxProgram = 20_000
	// quickMatch is up to which number of instructions times characters a search runs without looking at whether the
	// query has ended: some milliseconds.
	quickMatch = 1 << 18
)

// programSize is about how many instructions a regular expression takes, at most a little more than maxProgram.
func programSize(re *syntax.Regexp) int {
	size := 1
	switch re.Op {
	case syntax.OpLiteral:
		size = len(re.Rune)
	case syntax.OpCharClass:
		size += len(re.Rune) / 16
	}
	for _, sub := range re.Sub {
		size = min(size+programSize(sub), maxProgram+1)
	}
	if re.Op == syntax.OpRepeat {
		size = min(size*max(re.Min, re.Max, 1), maxProgram+1)
	}
	return size
}

// quick reports whether searching a text of so many bytes takes no time to speak of.
func (p *pattern) quick(bytes int) bool { return bytes <= quickMatch/p.size }

// match reports whether some part of s matches the pattern; false too where the query has ended.
func (p *pattern) match(c *run, s string) bool {
	switch {
	case !p.quick(len(s)):
		return p.re.MatchReader(&heedfulReader{run: c, text: s, work: p.size})
	case !p.need.in(s):
		return false
	}
	return c.spend(len(s)*p.size/workShare) && p.re.MatchString(s)
}

// workShare is how many instructions of a regular expression, each for one character, count as a byte of work.
const workShare = 16

// eachMatch calls do with the places of the matches of the pattern in s, one after the other, as
// regexp.FindAllStringSubmatchIndex has them; false where do or the query ended before the last. Each search may read the
// text to its end to find the next place, so only few are made at once. The pattern matches no empty text.
func (p *pattern) eachMatch(c *run, s string, do func(places []int) bool) bool {
	if p.plain != "" {
		return p.eachPlain(c, s, do)
	}
	for from := 0; from < len(s); {
		found := p.next(c, s, from)
		if len(found) == 0 {
			break
		}
		for _, places := range found {
			if !do(places) {
				return false
			}
			from = places[1]
		}
		if !c.spend(meterStep / 4) {
			return false
		}
	}
	return !c.env.Stopped()
}

// eachPlain is eachMatch of a text.
func (p *pattern) eachPlain(c *run, s string, do func(places []int) bool) bool {
	for from := 0; ; {
		i := c.index(s[from:], p.plain)
		if i < 0 {
			return c.spend(len(s) - from)
		}
		at := from + i
		from = at + len(p.plain)
		if places := [2]int{at, from}; !do(places[:]) || !c.spend(from-at+i) {
			return false
		}
	}
}

// next returns the places of some matches at or behind a place, in order; none where there is none.
func (p *pattern) next(c *run, s string, from int) [][]int {
	most := quickMatch / p.size / (len(s) - from)
	var found [][]int
	switch {
	case most == 0:
		return p.read(c, s, from)
	case from == 0:
		return p.re.FindAllStringSubmatchIndex(s, most)
	case p.begins:
		return p.read(c, s, from)
	}
	found = p.re.FindAllStringSubmatchIndex(s[from:], most)
	for _, places := range found {
		move(places, from)
	}
	return found
}

// read is next for a long text. So that "^" matches at the beginning of a text or line only, the search begins with the
// character before the place.
func (p *pattern) read(c *run, s string, from int) [][]int {
	reader := &heedfulReader{run: c, text: s, work: p.size}
	if from == 0 {
		if places := p.re.FindReaderSubmatchIndex(reader); places != nil {
			return [][]int{places}
		}
		return nil
	}
	if p.behind == nil {
		p.behind = regexp.MustCompile(`\A(?s:.)(?s:.*?)(` + p.source + `)`)
	}
	_, width := utf8.DecodeLastRuneInString(s[:from])
	reader.at = from - width
	places := p.behind.FindReaderSubmatchIndex(reader)
	if places == nil {
		return nil
	}
	move(places[2:], from-width)
	return [][]int{places[2:]}
}

// move adds to places, those of groups without a match aside.
func move(places []int, by int) {
	for i := range places {
		if places[i] >= 0 {
			places[i] += by
		}
	}
}

// hasBegin reports whether a regular expression asks for the beginning of the text or of a line.
func hasBegin(re *syntax.Regexp) bool {
	return re.Op == syntax.OpBeginLine || re.Op == syntax.OpBeginText || slices.ContainsFunc(re.Sub, hasBegin)
}

// heedfulReader reads a text for a regular expression. Where the query has ended, so has the text.
type heedfulReader struct {
	run  *run
	text string
	at   int
	// read is the work since the last look, work what each character counts as.
	read, work int
}

// ReadRune implements io.RuneReader.
func (r *heedfulReader) ReadRune() (ch rune, size int, err error) {
	if r.at == len(r.text) {
		return 0, 0, io.EOF
	}
	if r.read += r.work; r.read >= quickMatch {
		r.read = 0
		if !r.run.env.goesOn() {
			r.at = len(r.text)
			return 0, 0, io.EOF
		}
	}
	ch, size = utf8.DecodeRuneInString(r.text[r.at:])
	r.at += size
	return ch, size, nil
}
