package ringleader

import (
	"context"
	"errors"
	"net/url"
	"time"
)

const (
	again = 50 * time.Millisecond
	// Timers may stand still while the machine sleeps, and the deadline does not: nothing sleeps longer than this.
	sleepMax = 100 * time.Millisecond
)

// link is a session at its server, which may become another one. The client's mutex guards it.
type link struct {
	client  *Client
	session *session
	home    *endpoint
	// origin is the server whose word counts if it says that the session is over.
	origin *endpoint
	// settled is false from when the session has moved until a keep-alive was answered there.
	settled bool
	wake    chan struct{}
}

func newLink(c *Client, home *endpoint, s *session) *link {
	return &link{client: c, session: s, home: home, origin: home, settled: true, wake: make(chan struct{}, 1)}
}

func poke(channel chan struct{}) {
	select {
	case channel <- struct{}{}:
	default:
	}
}

// rest is a pause; the end of the context ends it.
func rest(ctx context.Context, pause time.Duration) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// alive looks at the clock. Whoever holds is told if it is over.
func (l *link) alive() bool {
	l.client.mutex.Lock()
	defer l.client.mutex.Unlock()
	if l.session.alive(now()) {
		return true
	}
	l.notify()
	return false
}

// notify tells all who wait or hold that something may be different. The mutex is held.
func (l *link) notify() {
	at := now()
	for _, r := range l.session.requests {
		poke(r.news)
		if r.stage == holds && !l.session.holds(at, r) {
			r.tellLost()
		}
	}
}

func (r *request) tellLost() {
	if !r.lost {
		r.lost = true
		close(r.done)
	}
}

func (l *link) end(why string) {
	l.client.mutex.Lock()
	l.session.end(why)
	l.notify()
	l.client.mutex.Unlock()
	poke(l.wake)
}

// pause is until the deadline, and not for long.
func (l *link) pause() time.Duration {
	l.client.mutex.Lock()
	defer l.client.mutex.Unlock()
	left := time.Duration(l.session.deadline - now())
	if left > sleepMax {
		return sleepMax
	}
	if left < time.Millisecond {
		return time.Millisecond
	}
	return left
}

func (l *link) place() (home *endpoint, settled bool) {
	l.client.mutex.Lock()
	defer l.client.mutex.Unlock()
	return l.home, l.settled
}

// ask asks about the session, where the session is.
func (l *link) ask(ctx context.Context, path string, body any, wanted int, into any) error {
	for l.alive() && ctx.Err() == nil {
		home, settled := l.place()
		if !settled {
			rest(ctx, 5*time.Millisecond)
			continue
		}
		err := l.client.ask(ctx, home, "POST", path, body, wanted, into)
		var refused *Error
		switch {
		case errors.Is(err, ErrMoved) && errors.As(err, &refused):
			l.seek(refused.moveTo)
		case errors.Is(err, ErrSessionExpired) && errors.As(err, &refused):
			if at, settled := l.place(); at == home && settled {
				l.end(refused.Message)
			}
		default:
			return err
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return l.expired()
}

func (l *link) expired() error {
	l.client.mutex.Lock()
	defer l.client.mutex.Unlock()
	return expired(l.session.why)
}

// seek: the session is at another server. Nothing else is asked until a keep-alive was answered there.
func (l *link) seek(to string) {
	var known *endpoint
	if at, err := url.Parse(to); err == nil && at.Host != "" {
		for _, server := range l.client.servers {
			if server.address == at.Host {
				known = server
			}
		}
		if known == nil {
			known, _ = l.client.trust(to)
		}
	}
	l.client.mutex.Lock()
	l.settled = false
	if known != nil {
		l.home, l.origin = known, nil
	} else {
		l.home = l.next()
	}
	l.client.mutex.Unlock()
	poke(l.wake)
}

// next is the server after this one. The mutex is held.
func (l *link) next() *endpoint {
	servers := l.client.servers
	for place, server := range servers {
		if server == l.home {
			return servers[(place+1)%len(servers)]
		}
	}
	return servers[0]
}

// keepAlive says signs of life, each a third of what is valid after the one before, until the session is over.
func (l *link) keepAlive() {
	l.client.mutex.Lock()
	third := l.session.validMS * int64(time.Millisecond) / 3
	due := l.session.sent + third
	l.client.mutex.Unlock()
	vain := 0
	for l.alive() {
		if left := time.Duration(due - now()); left > 0 {
			if most := l.pause(); left > most {
				left = most
			}
			timer := time.NewTimer(left)
			select {
			case <-l.wake:
				due = now()
			case <-timer.C:
			}
			timer.Stop()
			continue
		}
		home, _ := l.place()
		sent := now()
		if l.beatInTime(sent, third) {
			l.client.mutex.Lock()
			third = l.session.validMS * int64(time.Millisecond) / 3
			l.client.mutex.Unlock()
			vain, due = 0, sent+third
			continue
		}
		// No answer: the same again soon; at another server if this one does not come back.
		vain++
		at, settled := l.place()
		pause := third / 10
		if pause > int64(4*again) {
			pause = int64(4 * again)
		}
		if pause < int64(10*time.Millisecond) {
			pause = int64(10 * time.Millisecond)
		}
		if settled && vain >= 2 && len(l.client.servers) > 1 {
			l.seek("")
		} else if !settled && at == home {
			l.client.mutex.Lock()
			l.home = l.next()
			l.client.mutex.Unlock()
		}
		due = now() + pause
		select {
		case <-l.wake:
		default:
		}
	}
}

// beatInTime gives up after a third of what is valid, or at the deadline: also if timers stood still meanwhile.
func (l *link) beatInTime(sent, third int64) bool {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	answered := make(chan bool, 1)
	go func() { answered <- l.beat(ctx, sent) }()
	if third < int64(sleepMax) {
		third = int64(sleepMax)
	}
	for now() < sent+third && l.alive() {
		timer := time.NewTimer(l.pause())
		select {
		case well := <-answered:
			timer.Stop()
			return well
		case <-timer.C:
		}
	}
	return false
}

// beat is one keep-alive. It says whether the server has answered that the session lives.
func (l *link) beat(ctx context.Context, sent int64) bool {
	believed, states := map[*request]stage{}, []map[string]any{}
	l.client.mutex.Lock()
	home, settled, s := l.home, l.settled, l.session
	for _, r := range s.requests {
		if len(states) == 500 {
			break
		}
		switch r.stage {
		case waits:
			states = append(states, map[string]any{"rid": r.rid, "state": "waits"})
		case holds:
			states = append(states, map[string]any{"rid": r.rid, "state": "holds", "fence": digits(r.fence)})
		default:
			continue
		}
		believed[r] = r.stage
	}
	l.client.mutex.Unlock()
	body := map[string]any{}
	if len(states) > 0 {
		body["requests"] = states
	}
	if !settled {
		body["follow_key"] = l.client.followKey
	}
	var answer struct {
		ValidMS  *uint64        `json:"valid_ms"`
		Requests []requestState `json:"requests"`
		Draining bool           `json:"draining"`
	}
	err := l.client.ask(ctx, home, "POST", "/v1/sessions/"+s.id+"/keepalive", body, 200, &answer)
	var refused *Error
	switch {
	case errors.Is(err, ErrMoved) && errors.As(err, &refused):
		if _, still := l.place(); still == settled {
			l.seek(refused.moveTo)
		}
		return false
	case errors.Is(err, ErrSessionExpired) && errors.As(err, &refused):
		l.client.mutex.Lock()
		final := home == l.origin && (settled || refused.Code == "session_expired" || len(l.client.servers) == 1)
		l.client.mutex.Unlock()
		if final {
			l.end(refused.Message)
		}
		return false
	case err != nil || answer.ValidMS == nil || *answer.ValidMS > validMax:
		return false
	}
	for _, each := range answer.Requests {
		if each.Rid == nil {
			return false
		}
	}
	l.client.mutex.Lock()
	unknown := s.told(now(), believed, answer.Requests)
	s.keptAlive(now(), sent, int64(*answer.ValidMS))
	l.home, l.origin, l.settled = home, home, true
	for place, server := range l.client.servers {
		if server == home {
			l.client.at = place
		}
	}
	for r := range believed {
		poke(r.news)
		if r.stage == over {
			r.tellLost()
		}
	}
	leave := answer.Draining && !s.busy()
	if leave {
		l.client.at++
	}
	l.client.mutex.Unlock()
	for _, rid := range unknown {
		go l.insist(context.Background(), "/v1/sessions/"+s.id+"/cancel", map[string]any{"rid": rid})
	}
	if leave {
		l.end("its server is about to leave")
		go l.farewell()
	}
	return true
}

func (l *link) farewell() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	home, _ := l.place()
	_ = l.client.ask(ctx, home, "DELETE", "/v1/sessions/"+l.session.id, nil, 204, nil)
}

// withdraw: a request is not wanted any more. If it was granted, that is given back; also in a session that has ended
// here, for it ends there a little later.
func (l *link) withdraw(r *request) {
	l.client.mutex.Lock()
	l.session.isOver(r, "")
	alive := l.session.alive(now())
	l.client.mutex.Unlock()
	if alive {
		go l.insist(context.Background(), "/v1/sessions/"+l.session.id+"/cancel", map[string]any{"rid": r.rid})
	} else {
		go l.farewell()
	}
}

// insist asks until it is answered.
func (l *link) insist(ctx context.Context, path string, body any) error {
	for times := 1; ; times++ {
		err := l.ask(ctx, path, body, 204, nil)
		var refused *Error
		if !errors.As(err, &refused) {
			return err
		}
		switch refused.Code {
		case "not_holder":
			if times > 1 {
				return nil // It was heard before.
			}
			return err
		case "no_server", "protocol", "no_lease", "recovering", "draining", "limit":
			pause := refused.RetryAfter
			if pause == 0 {
				pause = again
			}
			rest(ctx, pause)
		default:
			return err
		}
	}
}
