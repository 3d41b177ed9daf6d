package webhook

import (
	"encoding/json"
	"testing"
)

// FuzzRecord: a file is read as it was written, or refused.
func FuzzRecord(f *testing.F) {
	r := &Record{ID: "wh-a", URL: "http://e/", Secret: NewSecret(), Pending: &Message{Number: 1, Event: "change", Body: []byte("{}")}}
	text, err := json.Marshal(kept{recordVersion, r})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"version":1,"id":"../x","url":"u","secret":"whsec_"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := decode(text)
		if err != nil {
			return
		}
		if !validID.MatchString(r.ID) || len(r.Secret) < leastSecret {
			t.Fatalf("%+v", r)
		}
		if again, err := json.Marshal(kept{recordVersion, r}); err != nil {
			t.Fatal(err)
		} else if _, err := decode(again); err != nil {
			t.Fatalf("%s: %v", again, err)
		}
	})
}
