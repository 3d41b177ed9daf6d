package rdf

// IRIs that the engine gives a meaning to.
const (
	rdfNS = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
	xsdNS = "http://www.w3.org/2001/XMLSchema#"

	RDFType       = rdfNS + "type"
	RDFLangString = rdfNS + "langString"
	RDFFirst      = rdfNS + "first"
	RDFRest       = rdfNS + "rest"
	RDFNil        = rdfNS + "nil"

	XSDString   = xsdNS + "string"
	XSDBoolean  = xsdNS + "boolean"
	XSDInteger  = xsdNS + "integer"
	XSDDecimal  = xsdNS + "decimal"
	XSDFloat    = xsdNS + "float"
	XSDDouble   = xsdNS + "double"
	XSDDateTime = xsdNS + "dateTime"
	XSDDate     = xsdNS + "date"
	XSDTime     = xsdNS + "time"
)

// XSD is the namespace of the XML Schema datatypes.
const XSD = xsdNS
