package webhook

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"time"
)

// secretPrefix marks the text of a secret.
const secretPrefix = "whsec_"

// Secrets have so many bytes, and new ones newSecret.
const leastSecret, newSecret, mostSecret = 24, 32, 64

// ErrSecret: a text is no secret.
var ErrSecret = errors.New("the secret is none: expected whsec_ and 24 to 64 bytes in base64")

// Secret is what sender and receiver share.
type Secret []byte

// NewSecret makes a secret.
func NewSecret() Secret {
	s := make(Secret, newSecret)
	rand.Read(s) // which does not fail
	return s
}

// ParseSecret reads the text of a secret. The error is ErrSecret.
func ParseSecret(text string) (Secret, error) {
	encoded, marked := strings.CutPrefix(text, secretPrefix)
	s, err := base64.StdEncoding.DecodeString(encoded)
	if !marked || err != nil || len(s) < leastSecret || len(s) > mostSecret {
		return nil, ErrSecret
	}
	return s, nil
}

// Text is the secret as receivers want it; String does not tell it, so that no log does.
func (s Secret) Text() string { return secretPrefix + base64.StdEncoding.EncodeToString(s) }

// String says that there is a secret.
func (s Secret) String() string { return secretPrefix + "…" }

// LogValue is what logs have.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText is Text, for the files of a Folder.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.Text()), nil }

// UnmarshalText reads Text.
func (s *Secret) UnmarshalText(text []byte) (err error) {
	*s, err = ParseSecret(string(text))
	return err
}

// Sign is the value of the header webhook-signature for a message: version 1, HMAC-SHA256 of its id, its time and its body.
func (s Secret) Sign(id string, at time.Time, body []byte) string {
	h := hmac.New(sha256.New, s)
	h.Write([]byte(id + "." + strconv.FormatInt(at.Unix(), 10) + "."))
	h.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(h.Sum(nil))
}
