package store

import "context"

// CheckAll compares the checksums of what has not been read yet of the dictionary and of the graphs that are open,
// slowly, beside other work. From then on reading them costs no checks. The error is ErrDamaged and names the file, or it
// is the context's.
func (s *Store) CheckAll(ctx context.Context) error {
	if err := s.Dictionary.CheckAll(ctx); err != nil {
		return err
	}
	if err := s.Default.CheckAll(ctx); err != nil {
		return err
	}
	for _, name := range s.names {
		s.mu.Lock()
		graph := s.named[name].open
		s.mu.Unlock()
		if graph == nil {
			continue
		}
		if err := graph.CheckAll(ctx); err != nil {
			return err
		}
	}
	return nil
}
