package operator

import "time"

// Inline measures the time in which an operator does itself, while those who find the rows wait, what it would leave to workers.
type Inline struct {
	began time.Time
	took  time.Duration
}

// Do does some of the work.
func (i *Inline) Do(work func() error) error {
	began := time.Now()
	if i.began.IsZero() {
		i.began = began
	}
	err := work()
	i.took += time.Since(began)
	return err
}

// Claim claims a thread for a worker where there is none and the operator is what takes most of the time.
func (i *Inline) Claim(x *Execution) {
	if 2*i.took > time.Since(i.began) {
		x.Workers.Claim()
	}
}
