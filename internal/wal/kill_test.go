package wal_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/internal/wal"
)

// childLog makes the test binary a process that appends to the log in the folder that it names until it is killed, and
// tells on its output what is durable.
const childLog = "WAL_TEST_LOG"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childLog); dir != "" {
		fmt.Println("error:", appendForever(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// sizeOf is the size of a record that the child writes.
func sizeOf(sequence uint64) int { return int(sequence * 7919 % 3001) }

func appendForever(dir string) error {
	l, err := wal.Open(dir, wal.Options{FileSize: 256 << 10})
	if err != nil {
		return err
	}
	s := wal.NewSyncer(l, wal.Durability{})
	go tellWhatIsDurable(l, s)
	for {
		var payloads [][]byte
		for range 1 + rand.IntN(3) {
			n := l.Last() + 1 + uint64(len(payloads))
			payloads = append(payloads, payload(n, sizeOf(n)))
		}
		if _, err := l.Append(payloads...); err != nil {
			return err
		}
		if l.Last() > l.Synced()+100 { // as a server that bounds what waits
			if err := s.Wait(context.Background(), l.Last()-50); err != nil {
				return err
			}
		}
		if rand.IntN(200) == 0 {
			if err := l.Drop(l.Synced() - min(l.Synced(), 500)); err != nil {
				return err
			}
		}
	}
}

func tellWhatIsDurable(l *wal.Log, s *wal.Syncer) {
	for {
		if err := s.Wait(context.Background(), l.Last()); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		fmt.Println(l.Synced())
		time.Sleep(50 * time.Microsecond)
	}
}

// kills is how many processes are killed; WAL_KILLS sets another number.
func kills() int {
	if n, err := strconv.Atoi(os.Getenv("WAL_KILLS")); err == nil {
		return n
	}
	if testing.Short() {
		return 5
	}
	return 40
}

func TestKilledAtAnyMomentALogHasAllThatWasDurable(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "wal")
	cut, last := 0, uint64(0)
	for range kills() {
		told := runAndKill(t, dir, time.Duration(5+rand.IntN(60))*time.Millisecond)
		l, err := wal.Open(dir, wal.Options{FileSize: 256 << 10})
		must(t, err)
		if r := l.Report(); r.Last < told || r.Last < last {
			t.Fatalf("%d were durable, %d were there: %+v", told, last, r)
		} else if r.CutBytes > 0 {
			cut++
		}
		next := l.First()
		for r, err := range l.Read(next) {
			must(t, err)
			if r.Sequence != next || !bytes.Equal(r.Payload, payload(next, sizeOf(next))) {
				t.Fatalf("record %d is %.40q under %d", next, r.Payload, r.Sequence)
			}
			next++
		}
		if last = l.Last(); next != last+1 {
			t.Fatalf("read to %d of %d", next-1, last)
		}
		must(t, l.Close())
	}
	t.Logf("%d records, %d torn tails", last, cut)
}

// runAndKill runs the child for some time and returns the highest sequence that it called durable.
func runAndKill(t *testing.T, dir string, after time.Duration) (told uint64) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childLog+"="+dir)
	out, err := child.StdoutPipe()
	must(t, err)
	must(t, child.Start())
	timer := time.AfterFunc(after, func() { _ = child.Process.Kill() })
	defer timer.Stop()
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if n, err := strconv.ParseUint(lines.Text(), 10, 64); err == nil {
			told = max(told, n)
		} else {
			t.Error("the child says", lines.Text())
		}
	}
	_ = child.Wait() // it was killed
	return told
}
