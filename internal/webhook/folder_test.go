package webhook_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/internal/section"
	"github.com/rdfgpu/rdfgpu/internal/webhook"
)

func newRecord(id, address string) *webhook.Record {
	return &webhook.Record{ID: id, URL: address, Secret: webhook.NewSecret(), Parameters: map[string][]string{"query": {"SELECT * {}"}}, Created: time.Unix(1e9, 0).UTC()}
}

func TestRecordsComeBackAsTheyWere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "webhooks")
	f, err := webhook.OpenFolder(path)
	if err != nil {
		t.Fatal(err)
	}
	a, b := newRecord("wh-a", "http://e/1"), newRecord("wh-b", "http://e/2")
	a.Pending = &webhook.Message{Number: 3, Event: "change", Position: "7-0123456789abcdef", Body: []byte("{\"x\": \"<\u2028>&\"}\n")}
	a.Fail(time.Unix(1e9, 5).UTC(), "it rains")
	for _, r := range []*webhook.Record{a, b} {
		if err := f.Save(r); err != nil {
			t.Fatal(err)
		}
	}
	if info, err := os.Stat(filepath.Join(path, "wh-a.json")); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
	if err := os.WriteFile(filepath.Join(path, "wh-c.json.tmp"), []byte("{"), 0o600); err != nil { // of a killed process
		t.Fatal(err)
	}
	again, err := webhook.OpenFolder(path)
	if err != nil {
		t.Fatal(err)
	}
	if list, err := again.Load(); err != nil || !reflect.DeepEqual(list, []*webhook.Record{a, b}) {
		t.Errorf("%+v, %v", list, err)
	}
	if err := errors.Join(again.Remove("wh-a"), again.Remove("wh-a")); err != nil {
		t.Error(err)
	}
	if list, err := again.Load(); err != nil || len(list) != 1 || list[0].ID != "wh-b" {
		t.Errorf("%+v, %v", list, err)
	}
	if entries, _ := os.ReadDir(path); len(entries) != 1 {
		t.Error(entries)
	}
}

// TestARecordIsWrittenWholeOrNotAtAll: whatever operation of the disk fails.
func TestARecordIsWrittenWholeOrNotAtAll(t *testing.T) {
	path := filepath.Join(t.TempDir(), "webhooks")
	f, err := webhook.OpenFolder(path)
	if err != nil {
		t.Fatal(err)
	}
	r := newRecord("wh-a", "http://e/1")
	if err := f.Save(r); err != nil {
		t.Fatal(err)
	}
	full := errors.New("no space left")
	for _, failing := range []section.Operation{section.CreateFile, section.Write, section.Sync, section.Rename, section.SyncFolder} {
		f.Disk = &section.Disk{Fault: func(op section.Operation, _ string) error {
			if op == failing {
				return full
			}
			return nil
		}}
		r.Delivered++
		if err := f.Save(r); !errors.Is(err, full) {
			t.Errorf("%s: %v", failing, err)
		}
		f.Disk = nil
		list, err := f.Load()
		if err != nil || len(list) != 1 || list[0].Delivered != r.Delivered && list[0].Delivered != r.Delivered-1 {
			t.Fatalf("%s: %+v, %v", failing, list, err)
		}
		r.Delivered = list[0].Delivered
	}
}

func TestFilesThatAreNoRecordsAreNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "webhooks")
	f, err := webhook.OpenFolder(path)
	if err != nil {
		t.Fatal(err)
	}
	whole := newRecord("wh-a", "http://e/1")
	if err := f.Save(whole); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(path, "wh-a.json")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, damaged := range []string{"", "{", "null", strings.Replace(string(text), `"version":1`, `"version":2`, 1), strings.Replace(string(text), "wh-a", "wh-b", 1),
		strings.Replace(string(text), "whsec_", "", 1), strings.Replace(string(text), "http://e/1", "", 1), strings.Replace(string(text), `"delivered"`, `"pending":{"number":1},"delivered"`, 1)} {
		if err := os.WriteFile(file, []byte(damaged), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Load(); !errors.Is(err, webhook.ErrFile) || !strings.Contains(err.Error(), file) || strings.Contains(err.Error(), whole.Secret.Text()) {
			t.Errorf("%q: %v", damaged, err)
		}
	}
}
