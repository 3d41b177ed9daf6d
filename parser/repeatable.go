package parser

import "slices"

// Repeatable reports whether a query means the same each time it is asked of the same data: it calls none of NOW, RAND, UUID,
// STRUUID and BNODE and asks no SERVICE, also not in a pattern of EXISTS. Where several answers are right, as with LIMIT
// without ORDER BY, two runs may still differ.
func (q *Query) Repeatable() bool { return repeatable(q.Where) }

func repeatable(n Node) bool {
	if _, asks := n.(*Service); asks {
		return false
	}
	return !slices.ContainsFunc(Expressions(n), changes) && !slices.ContainsFunc(Children(n), func(c Node) bool { return !repeatable(c) })
}

// changes reports whether an expression may have another value when the query is asked again.
func changes(e Expr) bool {
	return AnyExpr(e, func(e Expr) bool {
		switch e := e.(type) {
		case *Call:
			return e.Function == "NOW" || IsVolatile(e)
		case *Exists:
			return !repeatable(e.Pattern)
		}
		return false
	})
}
