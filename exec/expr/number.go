package expr

import (
	"math"
	"strconv"
	"strings"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// termOfValue writes a computed number or boolean as a literal in canonical form (XSD 1.0 part 2): decimals have a
// point, floats an exponent.
func termOfValue(v *dictionary.Value) rdf.Term {
	switch v.Kind {
	case dictionary.Boolean:
		return rdf.NewTyped(strconv.FormatBool(v.Int != 0), rdf.XSDBoolean)
	case dictionary.Integer:
		return rdf.NewTyped(exactText(v), rdf.XSDInteger)
	case dictionary.Decimal:
		s := exactText(v)
		if strings.IndexByte(s, '.') < 0 {
			s += ".0"
		}
		return rdf.NewTyped(s, rdf.XSDDecimal)
	case dictionary.Float:
		return rdf.NewTyped(floatText(v.Float, 32), rdf.XSDFloat)
	case dictionary.Double:
		return rdf.NewTyped(floatText(v.Float, 64), rdf.XSDDouble)
	}
	return rdf.Term{}
}

// exactText is an Integer or Decimal without exponent.
func exactText(v *dictionary.Value) string {
	switch {
	case v.Big != nil:
		return v.Big.Text('f')
	case v.Scale == 0:
		return strconv.FormatInt(v.Int, 10)
	}
	return v.Decimal().Text('f')
}

// floatText is the canonical form of a float or double: 1.0E0, INF.
func floatText(f float64, size int) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "INF"
	case math.IsInf(f, -1):
		return "-INF"
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'E', -1, size), "E")
	if strings.IndexByte(mantissa, '.') < 0 {
		mantissa += ".0"
	}
	n, _ := strconv.Atoi(exponent)
	return mantissa + "E" + strconv.Itoa(n)
}

// castText is a value cast to xsd:string (XPath and XQuery Functions, section 17.1.1).
func castText(v *dictionary.Value) (string, bool) {
	switch v.Kind {
	case dictionary.Boolean:
		return strconv.FormatBool(v.Int != 0), true
	case dictionary.Integer, dictionary.Decimal:
		return exactText(v), true
	case dictionary.Float, dictionary.Double:
		size := 64
		if v.Kind == dictionary.Float {
			size = 32
		}
		if a := math.Abs(v.Float); a >= 1e-6 && a < 1e6 || a == 0 {
			return strconv.FormatFloat(v.Float, 'f', -1, size), true
		}
		return floatText(v.Float, size), true
	}
	return "", false
}
