package kernels

// topCount counts rows by bins of IDs.
func (t *twin) topCount(o *Top) {
	for row := range o.Rows {
		if place := t.word(o.Column, row) - o.First; place < o.Count {
			*in[uint64](t.memory, o.Counts, uint64(place>>o.Shift))++
		} else {
			o.Odd++
		}
	}
}

// topSelect copies the rows whose ID lies between two others.
func (t *twin) topSelect(o *Top) {
	for row := range o.Rows {
		if id := t.word(o.Column, row); id < o.Low || id > o.High {
			continue
		}
		for c := range o.Width {
			*in[uint32](t.memory, o.To[c], o.Selected) = t.word(o.From[c], row)
		}
		o.Selected++
	}
}
