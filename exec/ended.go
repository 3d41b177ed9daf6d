package exec

import "errors"

// Ended says why a query must end: nil while it may go on. A nil Ended never ends.
type Ended func() error

// checkEvery is how many rows or vertices a loop takes between two checks of whether the query has ended: below a
// millisecond.
const checkEvery = 1 << 14

// check is what a loop calls with the number of its round: now and then it says why the query must end.
func (e Ended) check(round int) error {
	if round%checkEvery != checkEvery-1 || e == nil {
		return nil
	}
	return e()
}

// over reports whether the query has ended.
func (e Ended) over() bool { return e != nil && e() != nil }

// stopping runs something that whoever is called may end early, by the error it is given: that is no failure.
func stopping(run func(enough error) error) error {
	enough := errors.New("exec: enough")
	if err := run(enough); err != enough {
		return err
	}
	return nil
}
