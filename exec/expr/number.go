package expr

import (
	"math"
	"strconv"

	"github.com/rdfgpu/rdfgpu/dictionary"
)

// castText is a value cast to xsd:string (XPath and XQuery Functions, section 17.1.1).
func castText(v *dictionary.Value) (string, bool) {
	switch v.Kind {
	case dictionary.Boolean:
		return strconv.FormatBool(v.Int != 0), true
	case dictionary.Integer, dictionary.Decimal:
		return v.ExactText(), true
	case dictionary.Float, dictionary.Double:
		size := 64
		if v.Kind == dictionary.Float {
			size = 32
		}
		if a := math.Abs(v.Float); a >= 1e-6 && a < 1e6 || a == 0 {
			return strconv.FormatFloat(v.Float, 'f', -1, size), true
		}
		return dictionary.FloatText(v.Float, size), true
	}
	return "", false
}
