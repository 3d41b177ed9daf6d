package web

import (
	"cmp"
	"context"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// modelTurn is a turn as the model knows it: every question is answered by looking at all turns.
type modelTurn struct {
	real   *turn
	client int
	state  turnState
	back   bool
	order  int  // of arrival, or of coming back
	heard  bool // that it runs
}

// admissionModel says what an admission should do, in the plainest way.
type admissionModel struct {
	*rapid.T
	admission *admission
	turns     []*modelTurn
	joined    map[int]int // client to when it joined the queue or was served last
	clock     int
}

func (m *admissionModel) count(client int, state turnState) (n int) {
	for _, t := range m.turns {
		if t.state == state && (client < 0 || t.client == client) {
			n++
		}
	}
	return n
}

// queued are the turns of a client that wait, in the order in which they get slots.
func (m *admissionModel) queued(client int, back bool) (list []*modelTurn) {
	for _, t := range m.turns {
		if t.state == turnWaits && t.client == client && t.back == back {
			list = append(list, t)
		}
	}
	slices.SortFunc(list, func(s, t *modelTurn) int { return s.order - t.order })
	return list
}

// clients are those in the queue, served longest ago first.
func (m *admissionModel) clients() (list []int) {
	for _, t := range m.turns {
		if t.state == turnWaits && !slices.Contains(list, t.client) {
			list = append(list, t.client)
		}
	}
	slices.SortFunc(list, func(a, b int) int { return cmp.Compare(m.joined[a], m.joined[b]) })
	return list
}

func (m *admissionModel) mayRun(client int) bool {
	owned := map[int]int{}
	for _, t := range m.turns {
		if t.state == turnRuns {
			owned[t.client] = min(owned[t.client]+1, m.admission.share)
		}
	}
	sum := 0
	for _, n := range owned {
		sum += n
	}
	return m.count(-1, turnRuns) < m.admission.slots || m.count(client, turnRuns) < m.admission.share && sum < m.admission.slots
}

func (m *admissionModel) enqueue(t *modelTurn) {
	if m.count(t.client, turnWaits) == 0 {
		m.clock++
		m.joined[t.client] = m.clock
	}
	m.clock++
	t.state, t.order = turnWaits, m.clock
}

func (m *admissionModel) dispatch() {
	for {
		list := m.clients()
		if len(list) == 0 {
			return
		}
		best := slices.MinFunc(list, func(a, b int) int { return m.count(a, turnRuns) - m.count(b, turnRuns) })
		if !m.mayRun(best) {
			return
		}
		next := append(m.queued(best, true), m.queued(best, false)...)[0]
		next.state = turnRuns
		m.clock++
		m.joined[best] = m.clock
	}
}

func (m *admissionModel) fresh() (n int) {
	for _, c := range m.clients() {
		n += len(m.queued(c, false))
	}
	return n
}

// ask is the arrival of a query.
func (m *admissionModel) ask(client int) {
	t := &modelTurn{client: client, state: turnEnded}
	switch most := m.longest(client); {
	case m.mayRun(client):
		t.state = turnRuns
	case m.fresh() < m.admission.places:
		m.enqueue(t)
	case len(m.queued(most, false)) > len(m.queued(client, false))+1:
		list := m.queued(most, false)
		list[len(list)-1].state = turnEnded
		m.enqueue(t)
	}
	t.real = m.admission.ask(clientID{token: client}, func(error) {})
	if (t.real == nil) != (t.state == turnEnded) {
		m.Fatalf("client %d was turned away: %v", client, t.real == nil)
	}
	m.turns = append(m.turns, t)
}

// longest is the client that has most in the queue.
func (m *admissionModel) longest(client int) int {
	for _, c := range m.clients() {
		if len(m.queued(c, false)) > len(m.queued(client, false)) {
			client = c
		}
	}
	return client
}

// any draws a turn in a state; nil where there is none.
func (m *admissionModel) any(states ...turnState) *modelTurn {
	list := slices.DeleteFunc(slices.Clone(m.turns), func(t *modelTurn) bool { return !slices.Contains(states, t.state) })
	if len(list) == 0 {
		return nil
	}
	return rapid.SampledFrom(list).Draw(m.T, "turn")
}

// park lets a query wait for its client; the one that is cut must be of a client with most parked.
func (m *admissionModel) park() {
	t := m.any(turnRuns)
	if t == nil {
		return
	}
	t.state = turnParked
	t.real.sent.Store(int64(rapid.IntRange(0, 1000).Draw(m.T, "sent")))
	full := m.count(-1, turnParked) > m.admission.parking
	m.admission.park(t.real)
	var gone []*modelTurn
	for _, other := range m.turns {
		if other.state == turnParked && other.real.state == turnCut {
			gone = append(gone, other)
		}
	}
	if len(gone) > 1 || (len(gone) == 1) != full {
		m.Fatalf("%d were cut, full: %v", len(gone), full)
	}
	for _, victim := range gone {
		for _, other := range m.turns {
			if m.count(other.client, turnParked) > m.count(victim.client, turnParked) {
				m.Fatalf("client %d was cut, %d has more", victim.client, other.client)
			}
		}
		victim.state = turnCut
	}
	m.dispatch()
}

func (m *admissionModel) resume() {
	t := m.any(turnParked, turnCut)
	if t == nil {
		return
	}
	if m.admission.resume(t.real) != (t.state == turnParked) {
		m.Fatal("a query that was cut resumes, or one that was not does not")
	}
	if t.state == turnCut {
		return
	}
	if m.mayRun(t.client) {
		t.state = turnRuns
		return
	}
	t.back = true
	m.enqueue(t)
}

func (m *admissionModel) leave() {
	t := m.any(turnRuns, turnWaits, turnParked, turnCut)
	if t == nil {
		return
	}
	t.state = turnEnded
	m.admission.leave(t.real)
	m.admission.leave(t.real)
	m.dispatch()
}

// hear reads what a turn was told: that it runs, once for each slot, or that it was turned away.
func (m *admissionModel) hear(t *modelTurn) {
	if t.real == nil {
		return
	}
	select {
	case p := <-t.real.news:
		if (p == nil) != (t.state == turnRuns) {
			m.Fatalf("a turn in state %d hears %v", t.state, p)
		}
		t.heard = true
	default:
		if t.state == turnRuns && !t.heard {
			m.Fatal("a turn runs and was not told")
		}
	}
	t.heard = t.heard && t.state == turnRuns
}

// check compares the two.
func (m *admissionModel) check() {
	a := m.admission
	open := map[int]bool{}
	for i, t := range m.turns {
		if t.real != nil && t.real.state != t.state {
			m.Fatalf("turn %d of client %d is in state %d, want %d", i, t.client, t.real.state, t.state)
		}
		m.hear(t)
		if t.state != turnEnded {
			open[t.client] = true
		}
	}
	now, fresh := a.now(), m.fresh()
	now.owned = 0
	if want := (counts{running: m.count(-1, turnRuns), waiting: fresh, returning: m.count(-1, turnWaits) - fresh, parked: m.count(-1, turnParked)}); now != want {
		m.Fatalf("%+v, want %+v", now, want)
	}
	if now.running > 2*a.slots-a.share || now.waiting > a.places || now.parked > a.parking || len(a.clients) != len(open) {
		m.Fatalf("beyond the bounds: %+v, %d clients of %d", now, len(a.clients), len(open))
	}
	for _, c := range m.clients() {
		if m.mayRun(c) {
			m.Fatalf("client %d waits, and there is a slot for it", c)
		}
	}
	if len(open) == 1 && now.running > a.slots {
		m.Fatalf("one client alone has %d slots", now.running)
	}
}

func TestAdmissionIsAsTheModelSays(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		slots := rapid.IntRange(1, 5).Draw(t, "slots")
		m := &admissionModel{T: t, joined: map[int]int{}, admission: newAdmission(slots, rapid.IntRange(0, 6).Draw(t, "places"),
			rapid.IntRange(1, 4).Draw(t, "parking"), rapid.IntRange(1, 100).Draw(t, "share"), time.Minute)}
		clients := rapid.IntRange(1, 4)
		t.Repeat(map[string]func(*rapid.T){
			"ask":    func(t *rapid.T) { m.T = t; m.ask(clients.Draw(t, "client")) },
			"park":   func(t *rapid.T) { m.T = t; m.park() },
			"resume": func(t *rapid.T) { m.T = t; m.resume() },
			"leave":  func(t *rapid.T) { m.T = t; m.leave() },
			"":       func(t *rapid.T) { m.T = t; m.check() },
		})
	})
}

func TestAClientWithinItsShareDoesNotWaitForOneBeyond(t *testing.T) {
	t.Parallel()
	a := newAdmission(8, 100, 10, 50, time.Minute)
	for range 20 {
		a.ask(clientID{token: 1}, nil)
	}
	if now := a.now(); now.running != 8 || now.waiting != 12 {
		t.Fatalf("alone a client has every slot: %+v", now)
	}
	for i := range 4 {
		if other := a.ask(clientID{token: 2}, nil); other.state != turnRuns {
			t.Errorf("query %d of another client waits", i)
		}
	}
	if fifth := a.ask(clientID{token: 2}, nil); fifth.state != turnWaits {
		t.Error("the other client has more than its share of busy slots")
	}
}

func TestTheSlowestIsCutFirst(t *testing.T) {
	t.Parallel()
	a := newAdmission(4, 0, 2, 50, time.Minute)
	var turns []*turn
	causes := map[int]error{}
	for i, sent := range []int64{5000, 10, 900} {
		turn := a.ask(clientID{token: 1}, func(err error) { causes[i] = err })
		turn.sent.Store(sent)
		turn.waited = time.Hour
		turns = append(turns, turn)
	}
	for _, turn := range turns {
		a.park(turn)
	}
	if len(causes) != 1 || causes[1] != errTooSlow {
		t.Errorf("%v", causes)
	}
}

func TestAQueryLeavesTheQueueWithItsClient(t *testing.T) {
	t.Parallel()
	a := newAdmission(1, 10, 1, 50, time.Minute)
	running, problem := a.enter(t.Context(), clientID{}, nil)
	if problem != nil {
		t.Fatal(problem)
	}
	ctx, hangUp := context.WithCancel(t.Context())
	left := make(chan *Problem)
	go func() {
		_, problem := a.enter(ctx, clientID{}, nil)
		left <- problem
	}()
	waitFor(t, time.Second, func() bool { return a.now().waiting == 1 })
	hangUp()
	if problem := <-left; problem == nil || a.now().waiting != 0 {
		t.Errorf("%v, %+v", problem, a.now())
	}
	running.leave()
	if a.now() != (counts{}) {
		t.Errorf("%+v", a.now())
	}
}

func TestPlanningAQueryTakesASlot(t *testing.T) {
	t.Parallel()
	s, _ := newTestServer(t, Options{MaxConcurrent: 1, QueueWait: 20 * time.Millisecond})
	plan := func() int {
		return do(s, "POST", "/api/graph", "SELECT 1", "Content-Type: application/sparql-query").Code
	}
	held, problem := s.admit.enter(t.Context(), clientID{}, nil)
	if problem != nil {
		t.Fatal(problem)
	}
	if code := plan(); code != 503 {
		t.Errorf("without a slot: %d", code)
	}
	held.leave()
	if code := plan(); code != 200 || s.admit.now() != (counts{}) {
		t.Errorf("with a slot: %d, %+v", code, s.admit.now())
	}
}
