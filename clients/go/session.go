package ringleader

import (
	"math"
	"strconv"
)

// Here is until when what a session holds is held. No socket and no clock: times are given. A session is alive until its
// deadline, and never again after it; a grant counts only while its session is alive and its request is waited for.

type stage int

const (
	waits stage = iota
	holds
	leaves
	over
)

// request is what is wanted of a lock.
type request struct {
	rid   uint64
	path  string
	body  map[string]any
	stage stage
	fence uint64
	why   string
	// again: the server does not know it; it is to be asked again.
	again bool
	// news: somebody should look at it.
	news chan struct{}
	// done is closed when what it holds is lost.
	done chan struct{}
	lost bool
}

type session struct {
	id       string
	driftPPM int64
	sent     int64
	validMS  int64
	deadline int64
	why      string
	requests map[uint64]*request
	lastRid  uint64
}

func opened(id string, driftPPM, sent, validMS int64) *session {
	s := &session{id: id, driftPPM: driftPPM, sent: sent, validMS: validMS, requests: map[uint64]*request{}}
	s.deadline = sent + s.certain(validMS)
	return s
}

// certain is what is left of a promise if both clocks are as wrong as they may be: valid·(1-ρ)/(1+ρ), rounded down.
func (s *session) certain(validMS int64) int64 {
	// In microseconds first: so nothing that an answer may say overflows.
	micros := validMS * 1000
	whole, rest := micros/(1_000_000+s.driftPPM), micros%(1_000_000+s.driftPPM)
	return (whole*(1_000_000-s.driftPPM) + rest*(1_000_000-s.driftPPM)/(1_000_000+s.driftPPM)) * 1000
}

// alive says whether it lives. Once it does not, it never does again.
func (s *session) alive(now int64) bool {
	if s.why == "" && now >= s.deadline {
		s.why = "nothing was heard of its server in time"
	}
	return s.why == ""
}

func (s *session) end(why string) {
	if s.why == "" {
		s.why = why
	}
}

// keptAlive: a keep-alive that was sent at this time was answered. Nothing comes back to life by it.
func (s *session) keptAlive(now, sent, validMS int64) {
	if s.alive(now) {
		s.sent, s.validMS = sent, validMS
		if deadline := sent + s.certain(validMS); deadline > s.deadline {
			s.deadline = deadline
		}
	}
}

// asks makes a request with a number that was never used.
func (s *session) asks(path string, more map[string]any) *request {
	s.lastRid++
	body := map[string]any{"session": s.id, "rid": s.lastRid}
	for key, value := range more {
		body[key] = value
	}
	r := &request{rid: s.lastRid, path: path, body: body, news: make(chan struct{}, 1), done: make(chan struct{})}
	s.requests[r.rid] = r
	return r
}

// isOver: it is done with; whatever is heard of it later is given back.
func (s *session) isOver(r *request, why string) {
	r.stage = over
	if r.why == "" {
		r.why = why
	}
	delete(s.requests, r.rid)
}

// granted: a grant has come. It says whether it counts; otherwise it must be given back.
func (s *session) granted(now int64, r *request, fence uint64) bool {
	if !s.alive(now) {
		return false
	}
	if r.stage == waits {
		r.stage, r.fence = holds, fence
	}
	return r.stage == holds && r.fence == fence
}

func (s *session) holds(now int64, r *request) bool { return s.alive(now) && r.stage == holds }

func (s *session) busy() bool {
	for _, r := range s.requests {
		if r.stage != waits {
			return true
		}
	}
	return false
}

// told is what the answer to a keep-alive says of the requests that it was asked about. It gives the numbers of those
// that are to be cancelled. What was believed to be held when the question was sent, and the server does not know, is
// lost. What waits and was granted is held.
func (s *session) told(now int64, believed map[*request]stage, answer []requestState) []uint64 {
	known := map[uint64]requestState{}
	for _, each := range answer {
		known[*each.Rid] = each
	}
	for r, said := range believed {
		entry, there := known[r.rid]
		switch {
		case said == holds && r.stage == holds && !there:
			s.isOver(r, "its server does not know of it any more")
		case r.stage == waits && !there:
			r.again = true
		case r.stage == waits && entry.State == "holds":
			if fence, err := fenceOf(entry.Fence); err == nil {
				s.granted(now, r, fence)
			}
		}
	}
	var unknown []uint64
	for rid := range known {
		if s.requests[rid] == nil {
			unknown = append(unknown, rid)
		}
	}
	return unknown
}

// fenceOf reads a fence: a string of digits, up to 63 bits.
func fenceOf(text *string) (uint64, error) {
	if text == nil {
		return 0, protocol("the answer has no fence")
	}
	for _, digit := range []byte(*text) {
		if digit < '0' || digit > '9' {
			return 0, protocol("`%s` is no fence", *text)
		}
	}
	fence, err := strconv.ParseUint(*text, 10, 64)
	if err != nil || fence > math.MaxInt64 {
		return 0, protocol("`%s` is no fence of up to 63 bits", *text)
	}
	return fence, nil
}
