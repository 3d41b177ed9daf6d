package limits

import "errors"

// Ended says why a query must end: nil while it may go on. A nil Ended never ends.
type Ended func() error

// CheckEvery is how many rows or vertices a loop takes between two checks of whether the query has ended: below a
// millisecond.
const CheckEvery = 1 << 14

// Check is what a loop calls with the number of its round: now and then it says why the query must end.
func (e Ended) Check(round int) error {
	if round%CheckEvery != CheckEvery-1 || e == nil {
		return nil
	}
	return e()
}

// Err is why the query has ended, if it has.
func (e Ended) Err() error {
	if e == nil {
		return nil
	}
	return e()
}

// Over reports whether the query has ended.
func (e Ended) Over() bool { return e != nil && e() != nil }

// Stopping runs something that whoever is called may end early, by the error it is given: that is no failure.
func Stopping(run func(enough error) error) error {
	enough := errors.New("exec: enough")
	if err := run(enough); err != enough {
		return err
	}
	return nil
}
