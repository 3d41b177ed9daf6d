package reach_test

import (
	"testing"

	"github.com/rdfgpu/rdfgpu/internal/reach"
)

func TestPrefixesAllowWhatIsUnderThem(t *testing.T) {
	list := reach.Prefixes{"http://a.example", "https://b.example/hooks/", "http://c.example/x"}
	for iri, want := range map[string]bool{
		"http://a.example": true, "http://a.example/": true, "http://a.example/any?q#f": true, "http://a.example?q": true,
		"http://a.example.evil.example/": false, "http://a.example:8080/": false, "http://a.example@evil.example/": false, "https://a.example/": false,
		"http://user@a.example/": false, "https://b.example/hooks/1": true, "https://b.example/hooks/": true, "https://b.example/hooks": false,
		"https://b.example/hooks/../admin": false, "https://b.example/hooks/%2e%2e/admin": false, "https://b.example/hooks/..\\admin": false,
		"https://b.example/hooks//x": false, "http://c.example/x": true, "http://c.example/x/y": true, "http://c.example/xy": false, "": false, "http://%zz": false,
	} {
		if got := list.Allow(iri); got != want {
			t.Errorf("%q: %v", iri, got)
		}
	}
	if (reach.Prefixes{}).Allow("http://a.example/") {
		t.Error("an empty list allows something")
	}
}
