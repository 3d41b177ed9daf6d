package bgp

import (
	"fmt"
	"strings"
)

// LookupKind says what becomes of a row that is in a table, or is not.
type LookupKind uint8

const (
	// Has leaves out rows that are not in the table, HasNot those that are.
	Has LookupKind = iota
	HasNot
	// HasTimes leaves out rows that are not in the table and multiplies the others' weights by how often they are there; HasTimesOrOne keeps all.
	HasTimes
	HasTimesOrOne
)

var lookupKinds = [...]string{"in", "not in", "as often as in", "as often as in, or once,"}

// String says it for explain.
func (k LookupKind) String() string { return lookupKinds[k] }

// TableLookup is a table of the solutions of another pattern that a match's rows are looked up in.
type TableLookup struct {
	// Columns are those of MatchPlan.Output that are looked up, one or two, in the order of the table's.
	Columns []int
	Kind    LookupKind
	// Least and Most bound how often rows of the table count that are in it; with Most 0 only Least does.
	Least, Most uint64
	// Table is what making it costs a GPU, where the processor has not less to do for its rows. Otherwise is what the join costs a processor beside finding the match's
	// rows: less than nothing where it finds fewer.
	Table, Otherwise float64
}

// LookupText is what a table does, for explain.
func (p *MatchPlan) LookupText(i int) string {
	var names []string
	for _, c := range p.Lookups[i].Columns {
		names = append(names, p.named(c))
	}
	text := strings.Join(names, " ") + " " + p.Lookups[i].Kind.String() + " the table"
	switch l := &p.Lookups[i]; {
	case l.Most > 0:
		text += fmt.Sprintf(" %d to %d times", l.Least, l.Most)
	case l.Least > 0:
		text += fmt.Sprintf(" %d times", l.Least)
	}
	return text
}

// LookupCost is what it costs a GPU to make the tables, and to look the rows up.
func (p *MatchPlan) LookupCost() (cost float64) {
	for i := range p.Lookups {
		cost += p.Lookups[i].Table + p.Rows()*CombinePrice/GPUCombineShare
	}
	return cost
}

// TableCost is what it costs a GPU to make a table of the plan's rows, which stays there.
func (p *MatchPlan) TableCost() float64 {
	return GPUCost + p.Cost/GPUShare + p.CombineCost()/GPUCombineShare
}

// CopiedTableCost is what it costs to copy a table of so many rows of so many columns to a GPU.
func CopiedTableCost(rows float64, columns int) float64 {
	return rows * (GPUHandPrice + float64(4*columns+8)/GPUCopyBytes)
}
