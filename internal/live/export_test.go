package live

// Abandon ends the store as the end of its process would: nothing is synced.
func (s *Store) Abandon() {
	s.maintenance.end()
	s.release(s.published.ground)
	_ = s.lock.Release()
}
