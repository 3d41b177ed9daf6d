package webhook_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/internal/webhook"
)

// TestSignaturesAreThoseOfStandardWebhooks: the example of its libraries.
func TestSignaturesAreThoseOfStandardWebhooks(t *testing.T) {
	s, err := webhook.ParseSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		t.Fatal(err)
	}
	got := s.Sign("msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; got != want {
		t.Errorf("%s where %s should be", got, want)
	}
}

func TestSecretsAreReadAndNotTold(t *testing.T) {
	made := webhook.NewSecret()
	if again, err := webhook.ParseSecret(made.Text()); err != nil || !bytes.Equal(again, made) {
		t.Error(again, err)
	}
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "secret", made, "record", webhook.Record{Secret: made}.Secret)
	if said := log.String() + fmt.Sprint(made) + fmt.Sprintf("%v %s", made, made); strings.Contains(said, made.Text()[len("whsec_"):]) {
		t.Error(said)
	}
	encoded := func(n int) string { return "whsec_" + base64.StdEncoding.EncodeToString(make([]byte, n)) }
	for text, right := range map[string]bool{encoded(24): true, encoded(64): true, encoded(23): false, encoded(65): false, "": false, "whsec_": false,
		made.Text()[6:]: false, "whsec_!" + made.Text()[7:]: false} {
		if _, err := webhook.ParseSecret(text); (err == nil) != right {
			t.Errorf("%q: %v", text, err)
		}
	}
}
