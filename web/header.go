package web

import "net/http"

// fieldRoom is how many fields of a header the values of one response have room for together.
const fieldRoom = 12

// fields is the room for the values of a response's header: net/http keeps a list for each field, which else would be an allocation each.
type fields struct {
	values [fieldRoom]string
	used   int
}

// list is a value as the list that a header keeps.
func (f *fields) list(value string) []string {
	if f.used == fieldRoom {
		return []string{value}
	}
	f.values[f.used] = value
	f.used++
	return f.values[f.used-1 : f.used : f.used]
}

// setField is w.Header().Set(name, value) for a name that is written as http.CanonicalHeaderKey writes it.
func setField(w http.ResponseWriter, name, value string) {
	if t, ok := w.(*tracked); ok {
		w.Header()[name] = t.fields.list(value)
		return
	}
	w.Header()[name] = []string{value}
}

// headerOf is r.Header.Get(name) for a name that is written as http.CanonicalHeaderKey writes it.
func headerOf(r *http.Request, name string) string {
	if list := r.Header[name]; len(list) > 0 {
		return list[0]
	}
	return ""
}
