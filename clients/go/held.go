package ringleader

import (
	"context"
	"errors"
	"strconv"
	"time"
)

func digits(fence uint64) string { return strconv.FormatUint(fence, 10) }

// want asks with the same number until it is granted or refused.
func (l *link) want(ctx context.Context, r *request, until int64, try bool) error {
	pause := again
	for {
		at := now()
		l.client.mutex.Lock()
		stage := r.stage
		r.again = false
		l.client.mutex.Unlock()
		switch {
		case !l.alive():
			return l.expired()
		case stage == holds:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case until != 0 && at >= until:
			return &Error{Code: "timeout", Message: "it was not granted in time",
				Certain: "it is not held, and not waited for any more"}
		}
		if until != 0 && !try {
			r.body["wait_ms"] = (until - at + int64(time.Millisecond) - 1) / int64(time.Millisecond)
		}
		err, left := l.once(ctx, r, until)
		if left {
			continue
		}
		var refused *Error
		if !errors.As(err, &refused) {
			if err != nil {
				return err
			}
			continue
		}
		switch code := refused.Code; {
		case code == "no_server" || code == "protocol":
			if pause *= 2; pause > time.Second {
				pause = time.Second
			}
		case !try && (code == "no_lease" || code == "recovering" || code == "limit"):
			if pause = refused.RetryAfter; pause == 0 || pause > time.Second {
				pause = again
			}
		case !try && code == "draining" && l.idle():
			l.end("its server is about to leave")
			go l.farewell()
		case !try && code == "locked":
			refused.Code, refused.Message = "timeout", "it was not free in time"
			return refused
		default:
			return err
		}
		if until != 0 && time.Duration(until-now()) < pause {
			pause = time.Duration(until - now())
		}
		l.await(ctx, r, pause)
	}
}

func (l *link) idle() bool {
	l.client.mutex.Lock()
	defer l.client.mutex.Unlock()
	l.client.at++
	return !l.session.busy()
}

// await is a pause that ends early if there is news.
func (l *link) await(ctx context.Context, r *request, pause time.Duration) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-r.news:
	case <-timer.C:
	}
}

// once asks once. It leaves the answer if a keep-alive has said what it would, or if it is too late.
func (l *link) once(ctx context.Context, r *request, until int64) (err error, left bool) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	body := make(map[string]any, len(r.body))
	for key, value := range r.body {
		body[key] = value
	}
	var granted struct {
		Fence *string `json:"fence"`
	}
	answered := make(chan error, 1)
	go func() { answered <- l.ask(ctx, r.path, body, 200, &granted) }()
	for {
		pause := l.pause()
		if until != 0 && time.Duration(until-now()) < pause {
			pause = time.Duration(until - now())
		}
		timer := time.NewTimer(pause)
		select {
		case err := <-answered:
			timer.Stop()
			if err != nil {
				return err, false
			}
			fence, err := fenceOf(granted.Fence)
			if err != nil {
				return err, false
			}
			l.client.mutex.Lock()
			defer l.client.mutex.Unlock()
			l.session.granted(now(), r, fence)
			return nil, false
		case <-r.news:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
		l.client.mutex.Lock()
		changed := r.stage != waits || r.again
		l.client.mutex.Unlock()
		if changed || !l.alive() || ctx.Err() != nil || until != 0 && now() >= until {
			return nil, true
		}
	}
}

// Held is a lock that is held, or was. Look at Held before work that would be in vain; what protects data is Fence.
type Held struct {
	name    string
	link    *link
	request *request
	end     string
}

// Name is the lock.
func (h *Held) Name() string { return h.name }

// Fence is the number of the grant: give it to the storage.
func (h *Held) Fence() uint64 { return h.request.fence }

// Session is the session in which it is held.
func (h *Held) Session() string { return h.link.session.id }

// Held says whether it is held at this moment, by the clock Now.
func (h *Held) Held() bool { return h.Remaining() > 0 }

// Deadline is from when on it is not held, on the clock Now, as far as is known now. It moves on with keep-alives.
func (h *Held) Deadline() time.Duration {
	h.link.client.mutex.Lock()
	defer h.link.client.mutex.Unlock()
	return time.Duration(h.link.session.deadline)
}

// Remaining is for how long it is held at least, from now on; 0 if it is not held.
func (h *Held) Remaining() time.Duration {
	h.link.client.mutex.Lock()
	defer h.link.client.mutex.Unlock()
	at := now()
	if !h.link.session.holds(at, h.request) {
		return 0
	}
	return time.Duration(h.link.session.deadline - at)
}

// Done is closed when it is lost; not when it is released. It may be closed late if the process was paused; Held is
// never late.
func (h *Held) Done() <-chan struct{} { return h.request.done }

// Release gives it back, and waits until the server has heard it. It is ErrSessionExpired if it was lost before.
func (h *Held) Release(ctx context.Context) error {
	l := h.link
	l.client.mutex.Lock()
	held, stage, why := l.session.holds(now(), h.request), h.request.stage, h.request.why
	if held {
		h.request.stage = leaves
	}
	if why == "" {
		why = l.session.why
	}
	l.client.mutex.Unlock()
	if stage == leaves {
		return nil
	}
	if !held {
		return &Error{Code: "session_expired", Message: "it was lost: " + why, Certain: free}
	}
	err := l.insist(ctx, h.end, map[string]any{"session": l.session.id, "fence": digits(h.request.fence)})
	l.client.mutex.Lock()
	l.session.isOver(h.request, "it was released")
	h.request.stage = leaves
	l.client.mutex.Unlock()
	if errors.Is(err, ErrSessionExpired) {
		return nil // It is free: the session has ended.
	}
	return err
}
