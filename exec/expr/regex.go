package expr

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// patternKey is a regular expression of XPath with its flags.
type patternKey struct{ pattern, flags string }

// pattern is a compiled regular expression, or the reason why there is none.
type pattern struct {
	re      *regexp.Regexp
	literal bool // flag q
	empty   bool // it matches the empty string
	need    required
	// plain is the text that it matches and nothing else; "" where it is more than text.
	plain string
	// source is the expression in Go's syntax, size about its instructions. begins: it holds "^".
	source string
	size   int
	begins bool
	// behind finds matches behind the first character of a text; made when it is first needed.
	behind *regexp.Regexp
	err    error
}

// maxPatterns bounds the memory of patterns that are not constant.
const maxPatterns = 256

// compilePattern translates an XPath regular expression (XPath and XQuery Functions, section 5.6.1) for Go's regexp,
// which takes time linear in the text.
func compilePattern(key patternKey) *pattern {
	p := &pattern{}
	options := ""
	for _, f := range key.flags {
		switch f {
		case 'i', 'm':
			options += string(f)
		case 's', 'x':
		case 'q':
			p.literal = true
		default:
			p.err = fmt.Errorf("%q is no flag of regular expressions (s, m, i, x, q)", f)
			return p
		}
	}
	source := regexp.QuoteMeta(key.pattern)
	if !p.literal {
		t := translation{source: key.pattern, extended: strings.ContainsRune(key.flags, 'x'), dotAll: strings.ContainsRune(key.flags, 's')}
		if p.err = t.run(); p.err != nil {
			return p
		}
		source = t.out.String()
	}
	if options != "" {
		source = "(?" + options + ")" + source
	}
	if isPlain := p.literal || !strings.ContainsAny(key.pattern, metacharacters); isPlain && strings.Trim(key.flags, "qs") == "" && !strings.ContainsRune(key.pattern, utf8.RuneError) {
		p.plain = key.pattern
	}
	p.err = p.compile(source)
	return p
}

// metacharacters are those that are more than themselves in a regular expression.
const metacharacters = `\|.?*+(){}[]^$`

// compile compiles an expression in Go's syntax.
func (p *pattern) compile(source string) error {
	parsed, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return err
	}
	p.source, p.size, p.begins = source, programSize(parsed), hasBegin(parsed)
	if p.size > maxProgram {
		return fmt.Errorf("a regular expression of more than %d characters, once its repetitions are written out", maxProgram)
	}
	if p.re, err = regexp.Compile(source); err != nil {
		return err
	}
	p.empty, p.need = p.re.MatchString(""), longestText(parsed.Simplify())
	return nil
}

// translation turns XPath syntax into Go's and refuses what Go would read with another meaning.
type translation struct {
	source           string
	at               int
	extended, dotAll bool
	out              strings.Builder
}

func (t *translation) run() error {
	for t.at < len(t.source) {
		r, n := utf8.DecodeRuneInString(t.source[t.at:])
		t.at += n
		var err error
		switch r {
		case '\\':
			err = t.escape(false)
		case '[':
			err = t.class()
		case '.':
			if t.dotAll {
				t.out.WriteString(`(?s:.)`)
			} else {
				t.out.WriteString(`[^\n\r]`)
			}
		case '(':
			if strings.HasPrefix(t.source[t.at:], "?") && !strings.HasPrefix(t.source[t.at:], "?:") {
				return t.fault("a group that begins with (? and is not (?:")
			}
			t.out.WriteByte('(')
		case ']', '}':
			return t.fault(fmt.Sprintf("%q without its partner", r))
		case '{':
			err = t.repeat()
		case ' ', '\t', '\n', '\r':
			if !t.extended {
				t.out.WriteRune(r)
			}
		default:
			t.out.WriteRune(r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *translation) fault(what string) error {
	return fmt.Errorf("the regular expression %q has %s", t.source, what)
}

// repeat reads {n}, {n,} or {n,m} behind its brace.
func (t *translation) repeat() error {
	end := strings.IndexByte(t.source[t.at:], '}')
	if end < 0 {
		return t.fault("a brace that is not closed")
	}
	body := t.source[t.at : t.at+end]
	low, high, comma := strings.Cut(body, ",")
	if low == "" || !onlyDigits(low) || comma && !onlyDigits(high) {
		return t.fault("a brace that holds no repetition; write \\{ for the character")
	}
	t.out.WriteString("{" + body + "}")
	t.at += end + 1
	return nil
}

func onlyDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// Classes of XPath in Go's syntax, for use between brackets. \w is everything but punctuation, separators and others.
const (
	wordSet      = `\p{L}\p{M}\p{N}\p{S}`
	notWordSet   = `\p{P}\p{Z}\p{C}`
	spaceSet     = ` \t\n\r`
	notSpaceSet  = `\x{0}-\x{8}\x{b}\x{c}\x{e}-\x{1f}\x{21}-\x{10ffff}`
	nameStartSet = `:A-Z_a-z\x{C0}-\x{D6}\x{D8}-\x{F6}\x{F8}-\x{2FF}\x{370}-\x{37D}\x{37F}-\x{1FFF}\x{200C}-\x{200D}` +
		`\x{2070}-\x{218F}\x{2C00}-\x{2FEF}\x{3001}-\x{D7FF}\x{F900}-\x{FDCF}\x{FDF0}-\x{FFFD}\x{10000}-\x{EFFFF}`
	nameSet = nameStartSet + `\-.0-9\x{B7}\x{300}-\x{36F}\x{203F}-\x{2040}`
)

// escape reads what follows a backslash, inside or outside of brackets.
func (t *translation) escape(inside bool) error {
	if t.at == len(t.source) {
		return t.fault("a backslash at its end")
	}
	c := t.source[t.at]
	t.at++
	set, negated := "", ""
	switch c {
	case 'n', 'r', 't', '\\', '|', '.', '?', '*', '+', '(', ')', '{', '}', '-', '[', ']', '^', '$':
		t.out.WriteByte('\\')
		t.out.WriteByte(c)
		return nil
	case 'p', 'P':
		return t.property(c)
	case 'd':
		t.out.WriteString(`\p{Nd}`)
		return nil
	case 'D':
		t.out.WriteString(`\P{Nd}`)
		return nil
	case 's':
		set = spaceSet
	case 'S':
		set, negated = notSpaceSet, spaceSet
	case 'w':
		set, negated = wordSet, notWordSet
	case 'W':
		set = notWordSet
	case 'i':
		set = nameStartSet
	case 'c':
		set = nameSet
	case 'I', 'C':
		if inside {
			return t.fault(`\I or \C between brackets, which is not supported`)
		}
		negated = map[byte]string{'I': nameStartSet, 'C': nameSet}[c]
	default:
		if c >= '0' && c <= '9' {
			return t.fault("a back-reference, which is not supported")
		}
		return t.fault(fmt.Sprintf(`the unknown escape \%c`, c))
	}
	switch {
	case inside:
		t.out.WriteString(set)
	case negated != "":
		t.out.WriteString("[^" + negated + "]")
	default:
		t.out.WriteString("[" + set + "]")
	}
	return nil
}

// property reads {Name} of \p{Name}: a general category of Unicode.
func (t *translation) property(c byte) error {
	end := strings.IndexByte(t.source[t.at:], '}')
	if end < 2 || t.source[t.at] != '{' {
		return t.fault(`\p without a category in braces`)
	}
	name := t.source[t.at+1 : t.at+end]
	if len(name) > 2 || !strings.Contains(categories, " "+name+" ") {
		return t.fault(fmt.Sprintf(`\p{%s}, which is no general category`, name))
	}
	t.out.WriteString(`\` + string(rune(c)) + "{" + name + "}")
	t.at += end + 1
	return nil
}

const categories = " L Lu Ll Lt Lm Lo M Mn Mc Me N Nd Nl No P Pc Pd Ps Pe Pi Pf Po Z Zs Zl Zp S Sm Sc Sk So C Cc Cf Co "

// class reads a class between brackets, behind its first bracket.
func (t *translation) class() error {
	t.out.WriteByte('[')
	if strings.HasPrefix(t.source[t.at:], "^") {
		t.out.WriteByte('^')
		t.at++
	}
	for first := true; t.at < len(t.source); first = false {
		r, n := utf8.DecodeRuneInString(t.source[t.at:])
		t.at += n
		switch {
		case r == ']' && first:
			return t.fault("an empty class")
		case r == ']':
			t.out.WriteByte(']')
			return nil
		case r == '[' && strings.HasSuffix(t.source[:t.at-1], "-"):
			return t.fault("a subtraction of classes, which is not supported")
		case r == '[':
			return t.fault(`a "[" inside a class; write \[ for the character`)
		case r == '\\':
			if err := t.escape(true); err != nil {
				return err
			}
		case r == '&' || r == '~':
			t.out.WriteString(`\` + string(r))
		default:
			t.out.WriteRune(r)
		}
	}
	return t.fault("a class that is not closed")
}

// pattern returns the compiled form of a pattern that is not constant.
func (c *run) pattern(key patternKey) *pattern {
	if c.lastPattern != nil && c.lastKey == key {
		return c.lastPattern
	}
	p, ok := c.patterns[key]
	if !ok {
		p = compilePattern(key)
		if c.patterns == nil || len(c.patterns) >= maxPatterns {
			c.patterns = map[patternKey]*pattern{}
		}
		c.patterns[key] = p
	}
	c.lastKey, c.lastPattern = key, p
	return p
}

// patternOf reads pattern and flags from arguments.
func (c *run) patternOf(pattern *datum, flags []*datum) (key patternKey, ok bool) {
	if key.pattern, ok = c.plainText(pattern); ok && len(flags) > 0 {
		key.flags, ok = c.plainText(flags[0])
	}
	return key, ok
}

// regex is REGEX.
func regex(c *run, a []*datum) tri {
	t, ok := c.text(a[0])
	key, fine := c.patternOf(a[1], a[2:])
	if !ok || !fine {
		return isError
	}
	p := c.pattern(key)
	if p.err != nil {
		return isError
	}
	return truth(p.match(c, t.Value))
}

// plainSearch returns a search that does what the pattern does, nil when it is more than text, perhaps after "^".
func plainSearch(key patternKey) func(*run, string) bool {
	text, anchored := strings.CutPrefix(key.pattern, "^")
	switch {
	case key.flags != "" || strings.ContainsAny(text, metacharacters):
		return nil
	case anchored:
		return func(_ *run, s string) bool { return strings.HasPrefix(s, text) }
	}
	return func(c *run, s string) bool { return c.index(s, text) >= 0 }
}
