package expr

import (
	"strings"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/terms"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
)

const prologue = "PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> PREFIX : <http://e/> "

// parseExpr reads an expression.
func parseExpr(t testing.TB, text string) parser.Expr {
	t.Helper()
	q, err := parser.Parse(prologue+"ASK { FILTER("+text+") }", parser.Options{Base: "http://b/"})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return q.Where.(*parser.Filter).Condition
}

func newEnv(t testing.TB, stored ...rdf.Term) *Env {
	t.Helper()
	return newEnvOfSegments(t, stored)
}

// newEnvOfSegments stores terms in a dictionary of as many segments as there are lists.
func newEnvOfSegments(t testing.TB, stored ...[]rdf.Term) *Env {
	t.Helper()
	d, err := dictionary.FromTerms(stored[0])
	for _, list := range stored[1:] {
		if err == nil {
			d, err = d.Extend(list)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return &Env{Terms: terms.New(d), Dictionary: d, Base: "http://b/",
		Now: time.Date(2026, 11, 20, 17, 5, 9, 250e6, time.UTC)}
}

// newEnvWithTail is newEnvOfSegments with the last of the lists in a tail, of which the terms of a further one are not seen.
func newEnvWithTail(t testing.TB, later []rdf.Term, stored ...[]rdf.Term) *Env {
	t.Helper()
	last := len(stored) - 1
	env := newEnvOfSegments(t, stored[:last]...)
	tail := dictionary.NewTail(env.Dictionary)
	intern := func(list []rdf.Term) {
		for _, term := range list {
			key, _ := dictionary.AppendKey(nil, term)
			if _, err := tail.Intern(key); err != nil {
				t.Fatal(err)
			}
		}
	}
	intern(stored[last])
	n := tail.Len()
	intern(later)
	env.Dictionary = tail.Dictionary(n)
	env.Terms = terms.New(env.Dictionary)
	return env
}

// evaluate returns the result of an expression without variables in N-Triples with short names, "error" for an error.
func evaluate(t testing.TB, env *Env, text string) string {
	t.Helper()
	p, err := Compile(parseExpr(t, text), nil, env)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	var out [1]dictionary.ID
	p.IDs(nil, 1, out[:])
	if out[0] == dictionary.None {
		return "error"
	}
	return short(env.Terms.Term(out[0]))
}

func short(t rdf.Term) string {
	s := strings.ReplaceAll(t.String(), "^^<"+rdf.XSD, "^^<")
	switch {
	case strings.HasSuffix(s, "^^<integer>"), strings.HasSuffix(s, "^^<boolean>"):
		return t.Value
	}
	return s
}

func TestExpressions(t *testing.T) {
	env := newEnv(t)
	for _, c := range []struct{ section, cases string }{
		{"17.2 logic and errors", `
			true || ?x | true
			?x || true | true
			false || ?x | error
			?x && false | false
			true && ?x | error
			?x && ?x | error
			!?x | error
			!true | false
			!(1/0 = 1) | error
			!"" | true
			!"a"@en | false
			!"abc"^^xsd:integer | true
			!<a> | error
			!0.0 | true
			!"NaN"^^xsd:double | true
			!"x"^^:t | error
			if(?x, 1, 2) | error
			if(1, "a", 1/0) | "a"
			if("", 1/0, <a>) | <http://b/a>
			coalesce(?x, 1/0, 3, 4) | 3
			coalesce() | error
			bound(?x) | false
			2 IN (1, 2.0, ?x) | true
			2 IN (1, ?x) | error
			2 IN (1, 3) | false
			2 NOT IN () | true
			2 NOT IN (1/0, 2) | false
			2 NOT IN (1/0, 3) | error
			2 IN () | false
			?x IN () | error
			?x NOT IN () | error
			1/0 IN () | error
			1/0 NOT IN () | error
			!(1/0 IN ()) | error
			!(1/0 NOT IN ()) | error
			1/0 IN () || true | true
			COALESCE(?x IN (), "none") | "none"
			?x IN (<http://a/b>) | error
			?x NOT IN (<http://a/b>) | error`},
		{"17.3 numbers", `
			1 + 2 | 3
			1 + 2.50 | "3.5"^^<decimal>
			1.5 + 1.5 | "3.0"^^<decimal>
			0.1 + 0.2 | "0.3"^^<decimal>
			1 + 1e0 | "2.0E0"^^<double>
			xsd:float(1) / 3 | "3.3333334E-1"^^<float>
			1e300 * 1e300 | "INF"^^<double>
			-1e0 / 0 | "-INF"^^<double>
			0e0 / 0 | "NaN"^^<double>
			1 / 0 | error
			1.0 / 0.0 | error
			1 / 2 | "0.5"^^<decimal>
			4 / 2 | "2.0"^^<decimal>
			2 / 3 | "0.666666666666666667"^^<decimal>
			-1 / 30000 | "-0.0000333333333333333333"^^<decimal>
			1 / 3 | "0.333333333333333333"^^<decimal>
			10000000000 / 3 | "3333333333.333333333333333333"^^<decimal>
			9223372036854775807 + 1 | 9223372036854775808
			-9223372036854775808 - 1 | -9223372036854775809
			9223372036854775807 * 9223372036854775807 | 85070591730234615847396907784232501249
			9223372036854775808 - 1 | 9223372036854775807
			3037000500 * -3037000500 | -9223372037000250000
			0.000000000000000000001 * 10 | "0.00000000000000000001"^^<decimal>
			"1"^^xsd:int + "2"^^xsd:byte | 3
			-?x | error
			-(1) | -1
			-(1e0) | "-1.0E0"^^<double>
			+(1.0) | "1.0"^^<decimal>
			-"a" | error
			1 + "1" | error
			abs(-2) | 2
			abs(-2.5) | "2.5"^^<decimal>
			ceil(-1.6) | "-1.0"^^<decimal>
			ceil(2.5) | "3.0"^^<decimal>
			floor(-1.6) | "-2.0"^^<decimal>
			round(2.5) | "3.0"^^<decimal>
			round(-2.5) | "-2.0"^^<decimal>
			round(-2.5e0) | "-2.0E0"^^<double>
			round(2.5e0) | "3.0E0"^^<double>
			round(0.49999999999999994e0) | "0.0E0"^^<double>
			round(7) | 7
			abs("1") | error
			12345678.9e0 + 0 | "1.23456789E7"^^<double>`},
		{"17.3 equality", `
			1 = 1.0 | true
			1 = 01 | true
			1 != 1e0 | false
			"NaN"^^xsd:double = "NaN"^^xsd:double | false
			"NaN"^^xsd:double != "NaN"^^xsd:double | true
			"a" = "a"^^xsd:string | true
			"a"@en = "a"@EN | true
			"a"@en = "b"@en | false
			"a"@en = "a" | false
			"a"^^:t = "a"^^:t | true
			"a"^^:t = "b"^^:t | error
			"a"^^:t = "a" | error
			"a"^^:t = "a"@en | false
			"a"^^:t = 1 | error
			"a"^^xsd:integer = 1 | error
			"a"^^:t != <a> | true
			<a> = <http://b/a> | true
			<a> = "a" | false
			1 = "1" | false
			true = "1"^^xsd:boolean | true
			true = 1 | false
			9007199254740993 = 9007199254740992.0 | false
			0.1 = 1e-1 | true
			sameTerm(1, 1.0) | false
			sameTerm(1, 1) | true
			sameTerm("a"^^xsd:string, "a") | true
			sameTerm(?x, 1) | error
			"2006-08-23T09:00:00+01:00"^^xsd:dateTime = "2006-08-23T08:00:00Z"^^xsd:dateTime | true
			"2006-08-23"^^xsd:date = "2006-08-23Z"^^xsd:date | error
			"2006-08-23"^^xsd:date != "2001-08-23Z"^^xsd:date | true
			"2006-08-23"^^xsd:date != "2006-08-23T00:00:00"^^xsd:dateTime | true`},
		{"17.3 order", `
			1 < 1.5 | true
			"a" < "b" | true
			"a" < "B" | false
			"é" > "z" | true
			"a" < 1 | error
			"a"@en < "b"@en | error
			<a> < <b> | error
			false < true | true
			1 <= "NaN"^^xsd:double | false
			1 >= 1e0 | true
			"2006-08-23"^^xsd:date < "2006-08-24"^^xsd:date | true
			"2006-08-23"^^xsd:date < "2006-08-23Z"^^xsd:date | error
			"2006-08-23"^^xsd:date <= "2006-08-25Z"^^xsd:date | true
			"2000-01-01T00:00:00.5Z"^^xsd:dateTime > "2000-01-01T00:00:00Z"^^xsd:dateTime | true
			1 < ?x | error
			5 > 3 | true`},
		{"17.4.2 terms", `
			isIRI(<a>) | true
			isURI("a") | false
			isBlank(bnode()) | true
			isLiteral("a"@en) | true
			isLiteral(<a>) | false
			isNumeric("1"^^xsd:byte) | true
			isNumeric("a"^^xsd:integer) | false
			isNumeric("1") | false
			str(<a>) | "http://b/a"
			str(01.50) | "01.50"
			str(1 + 1.5) | "2.5"
			str("a"@en) | "a"
			str(bnode()) | error
			lang("a"@en-GB) | "en-GB"
			lang(1) | ""
			lang(<a>) | error
			datatype("a") | <http://www.w3.org/2001/XMLSchema#string>
			datatype("a"@en) | <http://www.w3.org/1999/02/22-rdf-syntax-ns#langString>
			datatype(1+1) | <http://www.w3.org/2001/XMLSchema#integer>
			datatype(<a>) | error
			iri("x/../y") | <http://b/y>
			iri(<a>) | <http://b/a>
			iri("a"@en) | error
			iri("a b") | error
			iri(1) | error
			strdt("1", xsd:integer) | 1
			strdt("1"@en, xsd:integer) | error
			strdt("1", "a") | error
			strlang("a", "en") | "a"@en
			strlang("a"@en, "en") | error
			strlang("a", "") | error
			strlang("a", "e n") | error
			strlang("a", "en-GB-1996") | "a"@en-GB-1996
			strlen(struuid()) | 36
			regex(str(uuid()), "^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$") | true
			rand() >= 0 && rand() < 1 | true
			bnode("a") = bnode("a") | true
			bnode("a") = bnode("b") | false
			bnode() = bnode() | false`},
		{"17.4.3 strings", `
			strlen("食べ物") | 3
			strlen("a"@en) | 1
			strlen(1) | error
			substr("foobar", 4) | "bar"
			substr("foobar"@en, 4, 1) | "b"@en
			substr("食べ物", 2, 1) | "べ"
			substr("12345", 1.5, 2.6) | "234"
			substr("12345", 0, 3) | "12"
			substr("12345", -3, 5) | "1"
			substr("12345", 0e0/0, 3) | ""
			substr("12345", 1, 0e0/0) | ""
			substr("12345", -1e0/0, 1e0/0) | ""
			substr("12345", 5) | "5"
			substr("12345", 6) | ""
			substr("12345", "1") | error
			ucase("föo"@de) | "FÖO"@de
			lcase("FOO") | "foo"
			strstarts("foobar", "foo") | true
			strstarts("foobar"@en, "foo"@en) | true
			strstarts("foobar"@en, "foo") | true
			strstarts("foobar", "foo"@en) | error
			strstarts("foobar"@en, "foo"@fr) | error
			strends("foobar", "bar") | true
			contains("foobar", "oob") | true
			contains(1, "1") | error
			strbefore("abc"@en, "b") | "a"@en
			strbefore("abc", "xyz") | ""
			strbefore("abc"@en, "z"@en) | ""
			strbefore("abc"@en, "") | ""@en
			strbefore("abc", "b"@cy) | error
			strafter("abc"@en, "b") | "c"@en
			strafter("abc"@en, "") | "abc"@en
			strafter("abc", "xyz") | ""
			encode_for_uri("Los Angeles é~") | "Los%20Angeles%20%C3%A9~"
			concat() | ""
			concat("a", "b") | "ab"
			concat("a"@en, "b"@en) | "ab"@en
			concat("a"@en, "b") | "ab"
			concat("a", "b"@en) | "ab"
			concat("a"@en, "b"@fr, "c"@en) | "abc"
			concat("a", 1) | error
			langMatches("en-GB", "en") | true
			langMatches("EN", "en") | true
			langMatches("eng", "en") | false
			langMatches("", "*") | false
			langMatches("en", "*") | true
			langMatches("en", "en-GB") | false`},
		{"17.4.3.14 regular expressions", `
			regex("Alice", "^ali", "i") | true
			regex("Alice"@en, "ice") | true
			regex("Alice", "^ice") | false
			regex("Alice", "^Al") | true
			regex(1, "1") | error
			regex("a\nb", "a.b") | false
			regex("a\nb", "a.b", "s") | true
			regex("a\nb", "^b") | false
			regex("a\nb", "^b", "m") | true
			regex("ab", "a b", "x") | true
			regex("a b", "a[ ]b", "x") | true
			regex("a.b", "a.b", "q") | true
			regex("axb", "a.b", "q") | false
			regex("A.B", "a.b", "qi") | true
			regex("٣", "^\\d$") | true
			regex("é", "^\\w$") | true
			regex("a-b", "^[\\w\\-]+$") | true
			regex("ab", "^[^\\S]") | false
			regex("aa", "^a{2}$") | true
			regex("xml:lang", "^\\i\\c*$") | true
			regex("Ab", "^\\p{Lu}\\P{Lu}$") | true
			regex("a&&b", "[&]") | true
			replace("abcd", "b", "Z") | "aZcd"
			replace("abab"@en, "b(.)?", "[$1]") | "a[a][]"@en
			replace("abcd", "(a)(b)", "$2$1$3") | "bacd"
			replace("a.b", ".", "-", "q") | "a-b"
			replace("a", "a", "\\$\\\\") | "$\\"
			replace("a", "a", "$") | error
			replace("a", "a*?", "x") | error
			replace("ab", "(a)", "$12") | "a2b"
			replace("abracadabra", "a.*?a", "*") | "*c*bra"`},
		{"17.4.4 and 17.4.5 functions of time", `
			now() | "2026-11-20T17:05:09.250Z"^^<dateTime>
			year("2010-12-21T15:38:02.75-08:00"^^xsd:dateTime) | 2010
			month("2010-12-21T15:38:02.75-08:00"^^xsd:dateTime) | 12
			day("2010-12-21T15:38:02.75-08:00"^^xsd:dateTime) | 21
			hours("2010-12-21T15:38:02.75-08:00"^^xsd:dateTime) | 15
			minutes("2010-12-21T15:38:02.75-08:00"^^xsd:dateTime) | 38
			seconds("2010-12-21T15:38:02.75-08:00"^^xsd:dateTime) | "2.75"^^<decimal>
			seconds("2010-12-21T15:38:02"^^xsd:dateTime) | "2.0"^^<decimal>
			timezone("2010-12-21T15:38:02-08:00"^^xsd:dateTime) | "-PT8H"^^<dayTimeDuration>
			timezone("2010-12-21T15:38:02+05:30"^^xsd:dateTime) | "PT5H30M"^^<dayTimeDuration>
			timezone("2010-12-21T15:38:02Z"^^xsd:dateTime) | "PT0S"^^<dayTimeDuration>
			timezone("2010-12-21T15:38:02"^^xsd:dateTime) | error
			tz("2010-12-21T15:38:02-08:00"^^xsd:dateTime) | "-08:00"
			tz("2010-12-21T15:38:02Z"^^xsd:dateTime) | "Z"
			tz("2010-12-21T15:38:02"^^xsd:dateTime) | ""
			tz("2010") | error
			year("-0044-03-15"^^xsd:date) | -44
			day("1969-12-31T23:59:59Z"^^xsd:dateTime) | 31
			month("2000-02-29T00:00:00Z"^^xsd:dateTime) | 2
			year("2010") | error
			hours("2010-12-21"^^xsd:date) | error`},
		{"17.4.6 hashes", `
			md5("abc") | "900150983cd24fb0d6963f7d28e17f72"
			sha1("abc") | "a9993e364706816aba3e25717850c26c9cd0d89d"
			sha256("abc") | "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
			strlen(sha384("abc")) | 96
			strlen(sha512("abc")) | 128
			md5("abc"@en) | error
			md5(1) | error`},
		{"17.5 casts", `
			xsd:string(<a>) | "http://b/a"
			xsd:string(1.0) | "1"
			xsd:string(0E1) | "0"
			xsd:string(1.25e0) | "1.25"
			xsd:string(1e6) | "1.0E6"
			xsd:string("0"^^xsd:boolean) | "false"
			xsd:string("a"@en) | "a"
			xsd:string("a"^^:t) | "a"
			xsd:boolean("1") | true
			xsd:boolean("yes") | error
			xsd:boolean(0.0) | false
			xsd:boolean("NaN"^^xsd:float) | false
			xsd:integer("12") | 12
			xsd:integer(" 12 ") | 12
			xsd:integer("1.5") | error
			xsd:integer(-1.9) | -1
			xsd:integer(1e20) | 100000000000000000000
			xsd:integer("INF"^^xsd:double) | error
			xsd:integer(true) | 1
			xsd:integer("1"@en) | error
			xsd:integer(<a>) | error
			xsd:decimal("1.50") | "1.5"^^<decimal>
			xsd:decimal(1) | "1.0"^^<decimal>
			xsd:decimal(1.25e-3) | "0.00125"^^<decimal>
			xsd:decimal("1e3") | error
			xsd:double("1") | "1.0E0"^^<double>
			xsd:double(false) | "0.0E0"^^<double>
			xsd:float(0.1) | "1.0E-1"^^<float>
			xsd:float("abc") | error
			xsd:byte(127) | "127"^^<byte>
			xsd:byte(128) | error
			xsd:dateTime("2010-01-01T00:00:00Z") | "2010-01-01T00:00:00Z"^^<dateTime>
			xsd:dateTime("2010-01-01") | error
			xsd:dateTime("2010-01-01Z"^^xsd:date) | "2010-01-01T00:00:00Z"^^<dateTime>
			xsd:dateTime("2010-01-01-05:00"^^xsd:date) | "2010-01-01T00:00:00-05:00"^^<dateTime>
			xsd:dateTime("-0044-03-15"^^xsd:date) | "-0044-03-15T00:00:00"^^<dateTime>
			xsd:date("2010-01-01T01:02:03-05:00"^^xsd:dateTime) | "2010-01-01-05:00"^^<date>
			xsd:time("2010-01-01T01:02:03Z"^^xsd:dateTime) | "01:02:03Z"^^<time>
			xsd:date("2020-01-01T24:00:00Z"^^xsd:dateTime) | "2020-01-02Z"^^<date>
			xsd:date("1999-12-31T24:00:00-05:00"^^xsd:dateTime) | "2000-01-01-05:00"^^<date>
			xsd:date("2024-02-28T24:00:00"^^xsd:dateTime) | "2024-02-29"^^<date>
			xsd:date("2023-02-28T24:00:00"^^xsd:dateTime) | "2023-03-01"^^<date>
			xsd:date("-0001-12-31T24:00:00"^^xsd:dateTime) | "0000-01-01"^^<date>
			xsd:date("12020-01-01T23:30:00+14:00"^^xsd:dateTime) | "12020-01-01+14:00"^^<date>
			xsd:time("2020-01-01T24:00:00Z"^^xsd:dateTime) | "00:00:00Z"^^<time>
			xsd:time("2020-01-01T23:59:59.250-00:00"^^xsd:dateTime) | "23:59:59.25Z"^^<time>
			xsd:time("2020-01-01"^^xsd:date) | error
			xsd:dateTime("2020-12-31T24:00:00") | "2021-01-01T00:00:00"^^<dateTime>
			xsd:dateTime(" 2020-12-31T01:00:00.0+00:00 ") | "2020-12-31T01:00:00Z"^^<dateTime>
			xsd:dateTime("2020-12-31-00:00"^^xsd:date) | "2020-12-31T00:00:00Z"^^<dateTime>
			xsd:dateTime("01:00:00"^^xsd:time) | error
			xsd:dateTimeStamp("2020-12-31T24:00:00"^^xsd:dateTime) | error
			xsd:gYear("2020-12-31T24:00:00Z"^^xsd:dateTime) | "2021Z"^^<gYear>
			xsd:gYearMonth("2020-12-31-05:00"^^xsd:date) | "2020-12-05:00"^^<gYearMonth>
			xsd:gYear("2020-12"^^xsd:gYearMonth) | error
			xsd:date("2020"^^xsd:gYear) | error
			xsd:string("2020-01-01T24:00:00Z"^^xsd:dateTime) | "2020-01-02T00:00:00Z"
			xsd:string("2020-12-31T24:00:00"^^xsd:dateTime) | "2021-01-01T00:00:00"
			xsd:string("2020-01-01T10:00:00.500-00:00"^^xsd:dateTime) | "2020-01-01T10:00:00.5Z"
			xsd:string("2020-01-01T10:00:00.1234567890120+05:30"^^xsd:dateTime) | "2020-01-01T10:00:00.123456789012+05:30"
			xsd:string("0001-01-01T00:30:00.000+14:00"^^xsd:dateTime) | "0001-01-01T00:30:00+14:00"
			xsd:string("24:00:00-05:00"^^xsd:time) | "00:00:00-05:00"
			xsd:string("23:59:59+14:00"^^xsd:time) | "23:59:59+14:00"
			xsd:string("2020-01-01-00:00"^^xsd:date) | "2020-01-01Z"
			xsd:string("-0000-01-01"^^xsd:date) | "0000-01-01"
			xsd:string("-0044"^^xsd:gYear) | "-0044"
			xsd:string("2020+00:00"^^xsd:gYear) | "2020Z"
			xsd:string("2020-02-05:00"^^xsd:gYearMonth) | "2020-02-05:00"
			xsd:string("2020-02-30"^^xsd:date) | "2020-02-30"
			str("2020-01-01T24:00:00Z"^^xsd:dateTime) | "2020-01-01T24:00:00Z"
			xsd:date(1) | error`},
	} {
		t.Run(c.section, func(t *testing.T) {
			for _, line := range strings.Split(strings.TrimSpace(c.cases), "\n") {
				i := strings.LastIndex(line, " | ")
				text, want := strings.TrimSpace(line[:i]), strings.TrimSpace(line[i+3:])
				if got := evaluate(t, env, text); got != want {
					t.Errorf("%s: got %s, want %s", text, got, want)
				}
			}
		})
	}
}

// TestUnknownFunctionsAreErrors of the expression, which what is around it may survive.
func TestUnknownFunctionsAreErrors(t *testing.T) {
	env := newEnv(t)
	for text, want := range map[string]string{
		":f(1)": "error", "xsd:integer(1, 2)": "error", "xsd:integer()": "error", "xsd:integer(DISTINCT 1)": "error",
		"true || :f(?x)": "true", "false && :f(?x)": "false", "!:f(1)": "error", "COALESCE(:f(1), 2)": "2", "IF(true, 1, :f(1))": "1",
		"STR(:f(1))": "error", "1 IN (:f(1), 1)": "true", "1 NOT IN (:f(1))": "error",
	} {
		if got := evaluate(t, env, text); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func TestWrongFunctionsAreRefused(t *testing.T) {
	env := newEnv(t)
	for _, text := range []string{`regex("a", "[a-z-[aeiou]]")`, `regex("a", "\\b")`,
		`regex("a", "(")`, `regex("a", "a", "g")`, `regex("a", "[[:alpha:]]")`, `regex("a", "(?i)a")`, `regex("a", "a{b}")`,
		`regex("a", "(a)\\1")`, `regex("a", "\\p{Greek}")`, `regex("a", "[]")`} {
		if _, err := Compile(parseExpr(t, text), nil, env); err == nil {
			t.Errorf("%s: accepted", text)
		}
	}
}
