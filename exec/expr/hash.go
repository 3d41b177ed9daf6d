package expr

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"hash"
	"io"
)

// digest applies a hash function to a plain string and returns it in lower-case hexadecimal digits (section 17.4.6): sum
// to a short one, begin's to a long one, piece by piece.
func digest(sum func(data []byte) []byte, begin func() hash.Hash) function {
	return func(c *run, a []*datum, out *datum) {
		s, ok := c.plainText(a[0])
		switch {
		case !ok:
		case len(s) <= meterStep:
			out.setString(hex.EncodeToString(sum([]byte(s))))
		default:
			h := begin()
			if c.pieces(s, func(piece string) bool { _, err := io.WriteString(h, piece); return err == nil }) {
				out.setString(hex.EncodeToString(h.Sum(nil)))
			}
		}
	}
}

var digests = map[string]function{
	"MD5":    digest(func(d []byte) []byte { h := md5.Sum(d); return h[:] }, md5.New),
	"SHA1":   digest(func(d []byte) []byte { h := sha1.Sum(d); return h[:] }, sha1.New),
	"SHA256": digest(func(d []byte) []byte { h := sha256.Sum256(d); return h[:] }, sha256.New),
	"SHA384": digest(func(d []byte) []byte { h := sha512.Sum384(d); return h[:] }, sha512.New384),
	"SHA512": digest(func(d []byte) []byte { h := sha512.Sum512(d); return h[:] }, sha512.New),
}
