package gpu

import (
	"errors"
	"slices"

	"github.com/rdfgpu/rdfgpu/kernels"
)

// view is a partition in pages as one query sees it: its own kernels.Partition, Pages and Page of each, so that pages come and go for it
// alone. A page is where the query has pinned it, or else where it lies in host memory.
type view struct {
	*paging
	at     kernels.Address // of the Partition, with the Pages and each Page behind it
	entry  kernels.Partition
	place  int       // of the partition, in the table of the graph
	pinned []*buffer // by page
	table  []kernels.Page
	sent   []kernels.Page // the table on the device; nil before anything is there
}

// Where a view's Pages and table lie.
var (
	viewPages = kernels.Address(kernels.Size[kernels.Partition]())
	viewTable = viewPages + kernels.Address(kernels.Size[kernels.Pages]())
)

// view returns the query's view of the partition at a place, which is held in pages; nil where there is no memory for one. It is to be
// published before a kernel runs.
func (r *reading) view(place int, entry kernels.Partition) (*view, error) {
	for _, v := range r.views {
		if v.place == place {
			return v, nil
		}
	}
	p := r.paged[place].pages
	v := &view{paging: p, place: place, entry: entry, pinned: make([]*buffer, p.pages()), table: make([]kernels.Page, p.pages())}
	for i := range v.table {
		v.table[i] = p.flat(i)
	}
	var err error
	v.at, err = r.d.memory.take(int64(viewTable)+int64(p.pages())*kernels.Size[kernels.Page](), 0)
	if errors.Is(err, ErrOutOfMemory) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	v.entry.Pages = v.at + viewPages
	r.views = append(r.views, v)
	return v, nil
}

// put sets where a page is: in a buffer that the query has pinned, or nil.
func (v *view) put(page int, b *buffer) {
	v.pinned[page] = b
	v.table[page] = v.flat(page)
	if b != nil {
		v.table[page] = v.inBuffer(page, b.at)
	}
}

// publish writes the view to the device where it has changed, through pinned memory as far as that goes, and returns what is left of it;
// the stream is synchronized before that is used again.
func (v *view) publish(s kernels.Stream, pinned []byte) (left []byte, err error) {
	if v.sent != nil && slices.Equal(v.sent, v.table) {
		return pinned, nil
	}
	at, data := v.at+viewTable, []byte(nil)
	if v.sent == nil {
		at, v.sent = v.at, make([]kernels.Page, len(v.table))
		data = append(data, kernels.Bytes([]kernels.Partition{v.entry})...)
		data = append(data, kernels.Bytes([]kernels.Pages{{PageOf: v.pageOf, Shift: uint32(v.shift)}})...)
	}
	copy(v.sent, v.table)
	data = append(data, kernels.Bytes(v.table)...)
	if len(data) > len(pinned) {
		return pinned, s.Upload(at, data)
	}
	n := copy(pinned, data)
	return pinned[n:], s.Upload(at, pinned[:n])
}

// publishViews writes all views to the device.
func (r *reading) publishViews(l *lane) error {
	pinned, err := l.staging()
	if err != nil {
		pinned = nil // it goes without
	}
	for _, v := range r.views {
		if pinned, err = v.publish(l.stream, pinned); err != nil {
			return err
		}
	}
	return nil
}

// pinAll pins all pages that are on the device.
func (r *reading) pinAll() {
	r.unpinAll() // those of smaller tables
	for _, v := range r.views {
		for page, b := range r.d.pages.pinThere(v.paging) {
			if b != nil {
				v.put(page, b)
			}
		}
	}
}

// unpinAll unpins all pages; nothing of the query runs.
func (r *reading) unpinAll() {
	for _, v := range r.views {
		for page, b := range v.pinned {
			if b != nil {
				r.d.pages.unpin(b)
				v.put(page, nil)
			}
		}
	}
}

func (r *reading) closeViews() error {
	r.unpinAll()
	var errs []error
	for _, v := range r.views {
		errs = append(errs, r.d.memory.give(v.at))
	}
	r.views = nil
	return errors.Join(errs...)
}
