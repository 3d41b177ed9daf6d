package expr

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
)

// digest applies a hash function to a plain string and returns it in lower-case hexadecimal digits (section 17.4.6).
func digest(sum func(data []byte) []byte) function {
	return func(c *run, a []*datum, out *datum) {
		if s, ok := c.plainText(a[0]); ok {
			out.setString(hex.EncodeToString(sum([]byte(s))))
		}
	}
}

var digests = map[string]function{
	"MD5":    digest(func(d []byte) []byte { h := md5.Sum(d); return h[:] }),
	"SHA1":   digest(func(d []byte) []byte { h := sha1.Sum(d); return h[:] }),
	"SHA256": digest(func(d []byte) []byte { h := sha256.Sum256(d); return h[:] }),
	"SHA384": digest(func(d []byte) []byte { h := sha512.Sum384(d); return h[:] }),
	"SHA512": digest(func(d []byte) []byte { h := sha512.Sum512(d); return h[:] }),
}
