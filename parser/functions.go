package parser

import "strconv"

// arity bounds the number of arguments; max < 0 means any number.
type arity struct{ min, max int }

// builtins are the functions of rule 121 that take plain expressions.
var builtins = map[string]arity{
	"STR": {1, 1}, "LANG": {1, 1}, "LANGMATCHES": {2, 2}, "DATATYPE": {1, 1}, "BOUND": {1, 1}, "IRI": {1, 1},
	"URI": {1, 1}, "BNODE": {0, 1}, "RAND": {0, 0}, "ABS": {1, 1}, "CEIL": {1, 1}, "FLOOR": {1, 1}, "ROUND": {1, 1},
	"CONCAT": {0, -1}, "STRLEN": {1, 1}, "SUBSTR": {2, 3}, "REPLACE": {3, 4}, "UCASE": {1, 1}, "LCASE": {1, 1},
	"ENCODE_FOR_URI": {1, 1}, "CONTAINS": {2, 2}, "STRSTARTS": {2, 2}, "STRENDS": {2, 2}, "STRBEFORE": {2, 2},
	"STRAFTER": {2, 2}, "YEAR": {1, 1}, "MONTH": {1, 1}, "DAY": {1, 1}, "HOURS": {1, 1}, "MINUTES": {1, 1},
	"SECONDS": {1, 1}, "TIMEZONE": {1, 1}, "TZ": {1, 1}, "NOW": {0, 0}, "UUID": {0, 0}, "STRUUID": {0, 0},
	"MD5": {1, 1}, "SHA1": {1, 1}, "SHA256": {1, 1}, "SHA384": {1, 1}, "SHA512": {1, 1}, "COALESCE": {0, -1},
	"IF": {3, 3}, "STRLANG": {2, 2}, "STRDT": {2, 2}, "SAMETERM": {2, 2}, "ISIRI": {1, 1}, "ISURI": {1, 1},
	"ISBLANK": {1, 1}, "ISLITERAL": {1, 1}, "ISNUMERIC": {1, 1}, "REGEX": {2, 3},
}

// synonyms maps the builtins that have two names to the one used in the algebra.
var synonyms = map[string]string{"URI": "IRI", "ISURI": "ISIRI"}

// aggregates are the set functions (rule 127).
var aggregates = map[string]bool{
	"COUNT": true, "SUM": true, "MIN": true, "MAX": true, "AVG": true, "SAMPLE": true, "GROUP_CONCAT": true,
}

// String says the bounds in words: "2 arguments", "2 to 3 arguments".
func (a arity) String() string {
	switch {
	case a.min == a.max && a.min == 1:
		return "1 argument"
	case a.min == a.max:
		return strconv.Itoa(a.min) + " arguments"
	case a.max < 0:
		return "any number of arguments"
	}
	return strconv.Itoa(a.min) + " to " + strconv.Itoa(a.max) + " arguments"
}
