package generate

import (
	"math/rand/v2"
	"slices"
)

// Kind is the sort of an entity of LUBM.
type Kind uint8

// The kinds: organisations and people first, then courses and publications, then classes and literals.
const (
	University Kind = iota
	Department
	FullProfessor
	AssociateProfessor
	AssistantProfessor
	Lecturer
	UndergraduateStudent
	GraduateStudent
	Course
	GraduateCourse
	ResearchGroup
	Publication
	Class
	NameLiteral
	EmailLiteral
	TelephoneLiteral
	ResearchLiteral
	Kinds = iota
)

// Predicate is an edge label of LUBM.
type Predicate uint8

// The predicates.
const (
	Type Predicate = iota
	Name
	TakesCourse
	PublicationAuthor
	Telephone
	EmailAddress
	MemberOf
	Advisor
	UndergraduateDegreeFrom
	MastersDegreeFrom
	DoctoralDegreeFrom
	TeacherOf
	WorksFor
	ResearchInterest
	TeachingAssistantOf
	SubOrganizationOf
	HeadOf
	Predicates = iota
)

// ClassID is an object of rdf:type: the kinds up to Publication, and the two roles of graduate students.
type ClassID uint8

// Roles beside the kinds.
const (
	TeachingAssistant ClassID = ClassID(Publication) + 1 + iota
	ResearchAssistant
	Classes = iota + int(TeachingAssistant)
)

// Entity is a node of the graph.
//
// University: University. Department: + Department. People, courses and groups: + Index in their department.
// Publication: Owner is the author's kind and Sub the publication's number. Class: Index is a ClassID. NameLiteral: Of
// and Index (a name does not name its department). EmailLiteral: Of, University, Department, Index.
// ResearchLiteral: Index. TelephoneLiteral: nothing.
type Entity struct {
	Kind       Kind
	Of         Kind
	University uint32
	Department uint16
	Index      uint16
	Sub        uint16
}

// Triple is an edge of the graph.
type Triple struct {
	Subject   Entity
	Predicate Predicate
	Object    Entity
}

// universityPool is how many universities degrees are drawn from, whatever the scale.
const universityPool = 1000

// LUBM is the graph of Universities universities.
type LUBM struct {
	Universities int
	Seed         uint64
}

// University calls emit for every triple of one university and marks in degrees (of length universityPool) the
// universities that degrees were taken from. Its triples are distinct. Different universities can be made
// concurrently; rdf:type triples of universities come from [LUBM.Pool] alone.
func (g LUBM) University(number int, degrees []bool, emit func(Triple)) {
	u := &university{
		number: uint32(number), degrees: degrees, emit: emit,
		random: rand.New(rand.NewPCG(g.Seed, uint64(number))),
	}
	self := Entity{Kind: University, University: u.number}
	u.name(self)
	for d := range u.between(15, 25) {
		u.department(self, uint16(d))
	}
}

// Pool emits the rdf:type triple of every university: those generated and those that degrees were taken from.
func (g LUBM) Pool(degrees []bool, emit func(Triple)) {
	for n := range max(g.Universities, len(degrees)) {
		if n < g.Universities || degrees[n] {
			emit(Triple{Entity{Kind: University, University: uint32(n)}, Type, class(ClassID(University))})
		}
	}
}

// NewDegrees returns the marks that University fills.
func NewDegrees() []bool { return make([]bool, universityPool) }

type university struct {
	number  uint32
	random  *rand.Rand
	degrees []bool
	emit    func(Triple)
	// buffers reused between departments
	faculty []Entity
	works   []Entity
	picks   []int
}

// ranges of the published profile, for one department.
var staff = []struct {
	kind         Kind
	low, high    int // people
	fewest, most int // publications of each
}{
	{FullProfessor, 7, 10, 15, 20},
	{AssociateProfessor, 10, 14, 10, 18},
	{AssistantProfessor, 8, 11, 5, 10},
	{Lecturer, 5, 7, 0, 5},
}

func (u *university) department(of Entity, number uint16) {
	d := Entity{Kind: Department, University: u.number, Department: number}
	u.typed(d)
	u.name(d)
	u.add(d, SubOrganizationOf, of)
	u.faculty, u.works = u.faculty[:0], u.works[:0]
	courses, graduateCourses := uint16(0), uint16(0)
	for _, s := range staff {
		for i := range u.between(s.low, s.high) {
			p := u.in(d, s.kind, uint16(i))
			u.faculty = append(u.faculty, p)
			u.person(p, d, WorksFor)
			u.teach(p, d, Course, &courses)
			u.teach(p, d, GraduateCourse, &graduateCourses)
			u.degree(p, UndergraduateDegreeFrom)
			u.degree(p, MastersDegreeFrom)
			u.degree(p, DoctoralDegreeFrom)
			if s.kind != Lecturer {
				u.add(p, ResearchInterest, Entity{Kind: ResearchLiteral, Index: uint16(u.random.IntN(30))})
			}
			u.publish(p, u.between(s.fewest, s.most))
		}
	}
	full := 0
	for full < len(u.faculty) && u.faculty[full].Kind == FullProfessor {
		full++
	}
	u.add(u.faculty[u.random.IntN(full)], HeadOf, d)
	u.undergraduates(d, int(courses))
	u.graduates(d, int(courses), int(graduateCourses))
	for i := range u.between(10, 20) {
		group := u.in(d, ResearchGroup, uint16(i))
		u.typed(group)
		u.add(group, SubOrganizationOf, d)
	}
}

func (u *university) teach(p, d Entity, kind Kind, next *uint16) {
	for range u.between(1, 2) {
		c := u.in(d, kind, *next)
		*next++
		u.typed(c)
		u.name(c)
		u.add(p, TeacherOf, c)
	}
}

func (u *university) publish(author Entity, n int) {
	for i := range n {
		p := author
		p.Kind, p.Of, p.Sub = Publication, author.Kind, uint16(i)
		u.typed(p)
		u.name(p)
		u.add(p, PublicationAuthor, author)
		u.works = append(u.works, p)
	}
}

func (u *university) undergraduates(d Entity, courses int) {
	for i := range u.between(8*len(u.faculty), 14*len(u.faculty)) {
		s := u.in(d, UndergraduateStudent, uint16(i))
		u.person(s, d, MemberOf)
		for _, c := range u.choose(u.between(2, 4), courses) {
			u.add(s, TakesCourse, u.in(d, Course, uint16(c)))
		}
		if u.random.IntN(5) == 0 {
			u.add(s, Advisor, u.professor())
		}
	}
}

func (u *university) graduates(d Entity, courses, graduateCourses int) {
	n := u.between(3*len(u.faculty), 4*len(u.faculty))
	teaching := u.between(n/5, n/4)
	research := u.between(n/4, n/3)
	teaching = min(teaching, courses)
	assisted := slices.Clone(u.choose(teaching, courses))
	roles := u.random.Perm(n)
	for i := range n {
		s := u.in(d, GraduateStudent, uint16(i))
		u.person(s, d, MemberOf)
		for _, c := range u.choose(u.between(1, 3), graduateCourses) {
			u.add(s, TakesCourse, u.in(d, GraduateCourse, uint16(c)))
		}
		u.degree(s, UndergraduateDegreeFrom)
		u.add(s, Advisor, u.professor())
		switch role := roles[i]; {
		case role < teaching:
			u.add(s, Type, class(TeachingAssistant))
			u.add(s, TeachingAssistantOf, u.in(d, Course, uint16(assisted[role])))
		case role < teaching+research:
			u.add(s, Type, class(ResearchAssistant))
		}
		for _, w := range u.choose(u.between(0, 5), len(u.works)) {
			u.add(u.works[w], PublicationAuthor, s)
		}
	}
}

// person emits what students and faculty have in common.
func (u *university) person(p, d Entity, belongs Predicate) {
	u.typed(p)
	u.name(p)
	u.add(p, belongs, d)
	email := p
	email.Kind, email.Of = EmailLiteral, p.Kind
	u.add(p, EmailAddress, email)
	u.add(p, Telephone, Entity{Kind: TelephoneLiteral})
}

// professor draws an advisor: any of the faculty but lecturers, who come last.
func (u *university) professor() Entity {
	n := len(u.faculty)
	for u.faculty[n-1].Kind == Lecturer {
		n--
	}
	return u.faculty[u.random.IntN(n)]
}

func (u *university) degree(p Entity, predicate Predicate) {
	n := u.random.IntN(universityPool)
	u.degrees[n] = true
	u.add(p, predicate, Entity{Kind: University, University: uint32(n)})
}

// choose draws k different numbers below n; the result is valid until the next call.
func (u *university) choose(k, n int) []int {
	u.picks = u.picks[:0]
	for len(u.picks) < min(k, n) {
		if c := u.random.IntN(n); !slices.Contains(u.picks, c) {
			u.picks = append(u.picks, c)
		}
	}
	return u.picks
}

func (u *university) in(d Entity, kind Kind, index uint16) Entity {
	return Entity{Kind: kind, University: u.number, Department: d.Department, Index: index}
}

func (u *university) typed(e Entity) { u.add(e, Type, class(ClassID(e.Kind))) }

func (u *university) name(e Entity) {
	n := Entity{Kind: NameLiteral, Of: e.Kind, Index: e.Index}
	switch e.Kind {
	case University:
		n.University = e.University
	case Department:
		n.Index = e.Department
	case Publication:
		n.Index = e.Sub
	}
	u.add(e, Name, n)
}

func (u *university) add(s Entity, p Predicate, o Entity) { u.emit(Triple{s, p, o}) }

// between draws a number from low to high, both included.
func (u *university) between(low, high int) int { return low + u.random.IntN(high-low+1) }

func class(c ClassID) Entity { return Entity{Kind: Class, Index: uint16(c)} }
