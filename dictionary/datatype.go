package dictionary

import "github.com/rdfgpu/rdfgpu/internal/rdf"

// Datatype is the number of a datatype whose values the dictionary knows. The numbers are part of the file format.
type Datatype uint8

// The datatypes with values. OtherDatatype stands for all others and for terms without a datatype.
const (
	OtherDatatype Datatype = iota
	XSDInteger
	XSDDecimal
	XSDFloat
	XSDDouble
	XSDLong
	XSDInt
	XSDShort
	XSDByte
	XSDNonNegativeInteger
	XSDPositiveInteger
	XSDNonPositiveInteger
	XSDNegativeInteger
	XSDUnsignedLong
	XSDUnsignedInt
	XSDUnsignedShort
	XSDUnsignedByte
	XSDDateTime
	XSDDateTimeStamp
	XSDDate
	XSDTime
	XSDGYear
	XSDGYearMonth
	XSDBoolean
	datatypes // how many there are; at most 32
)

// datatype is what is known of one Datatype.
type datatype struct {
	iri  string
	kind ValueKind
	tail string // `"^^<iri>`, the end of a literal in N-Triples
}

var datatypeTable = [datatypes]datatype{
	XSDInteger:            {iri: "integer", kind: Integer},
	XSDDecimal:            {iri: "decimal", kind: Decimal},
	XSDFloat:              {iri: "float", kind: Float},
	XSDDouble:             {iri: "double", kind: Double},
	XSDLong:               {iri: "long", kind: Integer},
	XSDInt:                {iri: "int", kind: Integer},
	XSDShort:              {iri: "short", kind: Integer},
	XSDByte:               {iri: "byte", kind: Integer},
	XSDNonNegativeInteger: {iri: "nonNegativeInteger", kind: Integer},
	XSDPositiveInteger:    {iri: "positiveInteger", kind: Integer},
	XSDNonPositiveInteger: {iri: "nonPositiveInteger", kind: Integer},
	XSDNegativeInteger:    {iri: "negativeInteger", kind: Integer},
	XSDUnsignedLong:       {iri: "unsignedLong", kind: Integer},
	XSDUnsignedInt:        {iri: "unsignedInt", kind: Integer},
	XSDUnsignedShort:      {iri: "unsignedShort", kind: Integer},
	XSDUnsignedByte:       {iri: "unsignedByte", kind: Integer},
	XSDDateTime:           {iri: "dateTime", kind: DateTime},
	XSDDateTimeStamp:      {iri: "dateTimeStamp", kind: DateTime},
	XSDDate:               {iri: "date", kind: Date},
	XSDTime:               {iri: "time", kind: Time},
	XSDGYear:              {iri: "gYear", kind: GYear},
	XSDGYearMonth:         {iri: "gYearMonth", kind: GYearMonth},
	XSDBoolean:            {iri: "boolean", kind: Boolean},
}

var datatypeByIRI = func() map[string]Datatype {
	m := make(map[string]Datatype, datatypes)
	for i := XSDInteger; i < datatypes; i++ {
		d := &datatypeTable[i]
		d.iri = rdf.XSD + d.iri
		d.tail = `"^^<` + d.iri + ">"
		m[d.iri] = i
	}
	return m
}()

// DatatypeOf is the number of a datatype IRI; OtherDatatype when the dictionary knows no values of it.
func DatatypeOf(iri string) Datatype { return datatypeByIRI[iri] }

// IRI is the datatype's IRI; "" for OtherDatatype.
func (d Datatype) IRI() string {
	if d >= datatypes {
		return ""
	}
	return datatypeTable[d].iri
}

// Kind is the kind of the values of a datatype.
func (d Datatype) Kind() ValueKind { return datatypeTable[d].kind }
