package generate

import (
	"context"
	"io"
	"strconv"
	"sync"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

const univBench = "http://swat.cse.lehigh.edu/onto/univ-bench.owl#"

var kindNames = [Kinds]string{
	"University", "Department", "FullProfessor", "AssociateProfessor", "AssistantProfessor", "Lecturer",
	"UndergraduateStudent", "GraduateStudent", "Course", "GraduateCourse", "ResearchGroup", "Publication",
}

var predicateNames = [Predicates]string{
	"", "name", "takesCourse", "publicationAuthor", "telephone", "emailAddress", "memberOf", "advisor",
	"undergraduateDegreeFrom", "mastersDegreeFrom", "doctoralDegreeFrom", "teacherOf", "worksFor",
	"researchInterest", "teachingAssistantOf", "subOrganizationOf", "headOf",
}

// predicateIRIs are made once: joining two strings for each triple took a tenth of the generator's time.
var predicateIRIs = func() (iris [Predicates]string) {
	for p, name := range predicateNames {
		iris[p] = univBench + name
	}
	iris[Type] = rdf.RDFType
	return iris
}()

// PredicateIRI returns the IRI of a predicate of LUBM.
func PredicateIRI(p Predicate) string { return predicateIRIs[p] }

func className(c ClassID) string {
	switch c {
	case TeachingAssistant:
		return "TeachingAssistant"
	case ResearchAssistant:
		return "ResearchAssistant"
	}
	return kindNames[c]
}

// appendEntity appends e in N-Triples syntax.
func appendEntity(dst []byte, e Entity) []byte {
	switch e.Kind {
	case Class:
		dst = append(dst, '<')
		dst = append(dst, univBench...)
		dst = append(dst, className(ClassID(e.Index))...)
		return append(dst, '>')
	case NameLiteral:
		dst = append(dst, '"')
		dst = append(dst, kindNames[e.Of]...)
		number := uint64(e.Index)
		if e.Of == University {
			number = uint64(e.University)
		}
		dst = strconv.AppendUint(dst, number, 10)
		return append(dst, '"')
	case EmailLiteral:
		dst = append(dst, '"')
		dst = append(dst, kindNames[e.Of]...)
		dst = strconv.AppendUint(dst, uint64(e.Index), 10)
		dst = append(dst, '@')
		dst = appendHost(dst, e)
		return append(dst, '"')
	case TelephoneLiteral:
		return append(dst, `"xxx-xxx-xxxx"`...)
	case ResearchLiteral:
		dst = append(dst, `"Research`...)
		dst = strconv.AppendUint(dst, uint64(e.Index), 10)
		return append(dst, '"')
	}
	dst = append(dst, "<http://www."...)
	if e.Kind == University {
		dst = append(dst, "University"...)
		dst = strconv.AppendUint(dst, uint64(e.University), 10)
		return append(dst, ".edu>"...)
	}
	dst = appendHost(dst, e)
	if e.Kind != Department {
		kind := e.Kind
		if kind == Publication {
			kind = e.Of
		}
		dst = append(dst, '/')
		dst = append(dst, kindNames[kind]...)
		dst = strconv.AppendUint(dst, uint64(e.Index), 10)
	}
	if e.Kind == Publication {
		dst = append(dst, "/Publication"...)
		dst = strconv.AppendUint(dst, uint64(e.Sub), 10)
	}
	return append(dst, '>')
}

func appendHost(dst []byte, e Entity) []byte {
	dst = append(dst, "Department"...)
	dst = strconv.AppendUint(dst, uint64(e.Department), 10)
	dst = append(dst, ".University"...)
	dst = strconv.AppendUint(dst, uint64(e.University), 10)
	return append(dst, ".edu"...)
}

func appendTriple(dst []byte, t Triple) []byte {
	dst = appendEntity(dst, t.Subject)
	dst = append(dst, " <"...)
	dst = append(dst, PredicateIRI(t.Predicate)...)
	dst = append(dst, "> "...)
	dst = appendEntity(dst, t.Object)
	return append(dst, " .\n"...)
}

// WriteNTriples writes the graph as N-Triples, universities in order, and returns the number of triples.
func (g LUBM) WriteNTriples(ctx context.Context, w io.Writer) (uint64, error) {
	var mark sync.Mutex
	degrees := NewDegrees()
	triples, err := writeBlocks(ctx, w, g.Universities, func(n int, text []byte) ([]byte, uint64) {
		own, count := NewDegrees(), uint64(0)
		g.University(n, own, func(t Triple) { text = appendTriple(text, t); count++ })
		mark.Lock()
		defer mark.Unlock()
		for i, d := range own {
			degrees[i] = degrees[i] || d
		}
		return text, count
	})
	if err != nil {
		return triples, err
	}
	var last []byte
	g.Pool(degrees, func(t Triple) { last = appendTriple(last, t); triples++ })
	_, err = w.Write(last)
	return triples, err
}
