package results

import "testing"

func TestTextTakesAsManyColumnsAsATerminalShows(t *testing.T) {
	for text, want := range map[string]int{
		"":                        0,
		"plain":                   5,
		"Köln":                    4,
		"Ko\u0308ln":              4, // a mark above
		"東京":                      4,
		"\u304B\u3099":            2, // a voicing mark
		"한국":                      4,
		"กำ":                      2, // a vowel with a column of its own
		"ที่":                     1, // two marks above
		"\u0939\u0941":            1, // a mark below
		"\u0939\u093E":            2, // a vowel beside
		"\u05E9\u05BC":            1, // a point inside
		"\u0628\u064E":            1, // a vowel above
		"✅":                       2,
		"❤\uFE0F":                 1, // with a variation selector
		"a\u200Db":                2, // a joiner
		"a\u2060b":                2,
		"\U0001D400\U000E0100":    1,
		"\U0001F7E0 \U00017000":   5,
		"tab\tand\u0007 controls": 15,
		"\xff":                    1,
	} {
		if got := displayWidth([]byte(text)); got != want {
			t.Errorf("%q takes %d columns, want %d", text, got, want)
		}
	}
}

func TestACutEndsBetweenCharacters(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
		size  int
	}{
		{"narrow text", 7, "narrow…", 7},
		{"東京都", 4, "東…", 3},
		{"東京都", 5, "東京…", 5},
		{"u\u0308ber", 2, "u\u0308…", 2},
	} {
		got, size := cutText([]byte(c.text), c.width)
		if string(got) != c.want || size != c.size {
			t.Errorf("%q in %d columns is %q (%d), want %q (%d)", c.text, c.width, got, size, c.want, c.size)
		}
	}
}

func BenchmarkDisplayWidth(b *testing.B) {
	for name, text := range map[string]string{
		"ascii": "http://example.org/resource/Berlin_Alexanderplatz_1234",
		"latin": "Überführung der Straßenbahn nach Köln, é è ñ — größer",
		"cjk":   "東京都は日本の首都であり、世界最大の都市圏である",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				displayWidth([]byte(text))
			}
		})
	}
}
