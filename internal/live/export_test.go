package live

// Abandon ends the store as the end of its process would: nothing is synced.
func (s *Store) Abandon() {
	s.maintenance.end()
	s.release(s.published.ground)
	_ = s.lock.Release()
}

// Occupy keeps others from writing files until the function that it returns is called.
func (s *Store) Occupy() (end func()) {
	s.maintenance.one <- struct{}{}
	return s.maintenance.give
}

// RestForGood keeps the store from writing files by itself.
func (s *Store) RestForGood() { s.maintenance.end() }
