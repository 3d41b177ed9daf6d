package main

import (
	"debug/buildinfo"
	"encoding/json"
	"os"
	"runtime/debug"
	"strings"
	"testing"
)

func TestTheBillHasEveryModule(t *testing.T) {
	info := &buildinfo.BuildInfo{GoVersion: "go1.26.0", Main: debug.Module{Path: "example.org/m"}, Deps: []*debug.Module{
		{Path: "example.org/a", Version: "v1.0.0", Sum: "h1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="},
		{Path: "example.org/b", Version: "v1.0.0", Replace: &debug.Module{Path: "example.org/c", Version: "v2.0.0"}},
	}}
	text, err := json.Marshal(newBill(info, "v3.0.0"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"bomFormat":"CycloneDX"`, `"specVersion":"1.5"`, `"purl":"pkg:golang/example.org/m@v3.0.0"`, `"purl":"pkg:golang/std@1.26.0"`,
		`"purl":"pkg:golang/example.org/a@v1.0.0","hashes":[{"alg":"SHA-256","content":"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"}]`,
		`"name":"example.org/c","version":"v2.0.0"`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s is not in %s", want, text)
		}
	}
}

func TestThisBinaryHasABill(t *testing.T) {
	path, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if b := newBill(info, "devel"); b.Components[0].Version != info.GoVersion {
		t.Errorf("%+v", b)
	}
}
