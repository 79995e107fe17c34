// Package ringleader has locks and leaders: a client of Ringleader's lock service that needs nothing but the standard
// library.
//
//	client, err := ringleader.New(ringleader.Options{Servers: []string{"unix:demo/a.sock"}})
//	held, err := client.Lock(ctx, "nightly-backup")
//	defer held.Release(context.Background())
//	storage.Write(body, held.Fence())
//
// A lock is held until Held.Deadline, on the clock Now. From then on it is not, whatever is heard later.
package ringleader

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"
)

// Options are what a client is told at its start.
type Options struct {
	// Servers of one cluster: https://HOST:PORT, https://HOST:PORT#NAME with the name in the certificate, or unix:PATH.
	Servers []string
	// Authority is the file with the cluster's authority; needed for every server over TLS.
	Authority string
	// Certificate and Key are files that say who asks; or a Token does.
	Certificate, Key, Token string
	// Meta is what others are shown about the holder: the host and the number of the process if it is empty.
	Meta string
	// Class of the session: fast, normal (if it is empty) or batch.
	Class string
	// TTL is how long the client may be silent at most; as long as the lease of the class if it is 0.
	TTL time.Duration
	// Patience is how long a server is looked for, and how long a try waits for its answer: 5 s if it is 0.
	Patience time.Duration
}

// Option is how a lock is asked for.
type Option func(*wish)

type wish struct {
	try  bool
	wait time.Duration
	more map[string]any
}

// Try does not wait: if somebody else has it, that is ErrLocked.
func Try() Option { return func(w *wish) { w.try = true } }

// Wait limits the wait; so does the deadline of the context.
func Wait(most time.Duration) Option { return func(w *wish) { w.wait = most } }

// Value is what others are shown while it is held.
func Value(value string) Option { return func(w *wish) { w.more["value"] = value } }

// Priority is how much it is wanted. Only elections look at it; the highest is first.
func Priority(priority uint32) Option { return func(w *wish) { w.more["priority"] = priority } }

// Shared asks as a reader: readers hold it together, and never beside a writer.
func Shared() Option { return func(w *wish) { w.more["mode"] = "shared" } }

// Permits makes it a semaphore: so many hold it at a time.
func Permits(permits uint32) Option { return func(w *wish) { w.more["permits"] = permits } }

// Client has one session, which it opens when it is first needed and keeps alive in the background.
type Client struct {
	options   Options
	trust     func(text string) (*endpoint, error)
	servers   []*endpoint
	followKey string

	opening sync.Mutex
	// mutex guards everything below, and the sessions. It is never held while anything is waited for.
	mutex  sync.Mutex
	link   *link
	at     int
	closed bool
}

// New makes a client. It asks nobody yet.
func New(options Options) (*Client, error) {
	if len(options.Servers) == 0 {
		return nil, &Error{Code: "bad_request", Message: "no server was named", Certain: "nothing was asked", Help: expected}
	}
	if options.Patience == 0 {
		options.Patience = 5 * time.Second
	}
	if options.Meta == "" {
		host, _ := os.Hostname()
		options.Meta = fmt.Sprintf("%s:%d", host, os.Getpid())
	}
	trust, err := trusted(&options)
	if err != nil {
		return nil, err
	}
	key := make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		return nil, err
	}
	client := &Client{options: options, followKey: hex.EncodeToString(key)}
	client.trust = func(text string) (*endpoint, error) { return parse(text, &client.options, trust) }
	for _, text := range options.Servers {
		server, err := client.trust(text)
		if err != nil {
			return nil, err
		}
		client.servers = append(client.servers, server)
	}
	return client, nil
}

// Lock waits until a lock is granted. If the session is lost meanwhile, it is asked for again in a new one. If the
// context ends, the request is withdrawn.
func (c *Client) Lock(ctx context.Context, name string, options ...Option) (*Held, error) {
	return c.acquire(ctx, "locks", name, "/acquire", "/release", options)
}

// Campaign waits until it leads: as Lock, with a value that others see.
func (c *Client) Campaign(ctx context.Context, name, value string, options ...Option) (*Held, error) {
	if value != "" {
		options = append([]Option{Value(value)}, options...)
	}
	return c.acquire(ctx, "elections", name, "/campaign", "/resign", options)
}

func (c *Client) acquire(ctx context.Context, kind, name, asks, ends string, options []Option) (*Held, error) {
	w := wish{more: map[string]any{}}
	for _, option := range options {
		option(&w)
	}
	begun, path := now(), "/v1/"+kind+"/"+url.PathEscape(name)
	var until int64 // 0: as long as it takes
	if w.wait > 0 {
		until = begun + int64(w.wait)
	}
	if w.try {
		until, w.more["wait_ms"] = begun+int64(c.options.Patience), 0
	}
	for {
		limit := now() + int64(c.options.Patience)
		if until != 0 && until < limit {
			limit = until
		}
		l, err := c.linked(ctx, limit)
		if err != nil {
			return nil, err
		}
		c.mutex.Lock()
		r := l.session.asks(path+asks, w.more)
		c.mutex.Unlock()
		err = l.want(ctx, r, until, w.try)
		if err == nil {
			held := &Held{name: name, link: l, request: r, end: path + ends}
			if held.Held() {
				return held, nil
			}
			err = expired("it was over before the grant could be used")
		}
		l.withdraw(r)
		over := until != 0 && now() >= until
		if w.try || over || !errors.Is(err, ErrSessionExpired) || c.isClosed() {
			return nil, err
		}
	}
}

func (c *Client) isClosed() bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.closed
}

// linked is the session, opened if there is none: at each server in turn until then.
func (c *Client) linked(ctx context.Context, until int64) (*link, error) {
	c.opening.Lock()
	defer c.opening.Unlock()
	var last error = &Error{Code: "no_server", Message: "no server answers", Certain: "nothing was granted"}
	for {
		c.mutex.Lock()
		l, closed, server := c.link, c.closed, c.servers[c.at%len(c.servers)]
		alive := l != nil && l.session.alive(now())
		c.mutex.Unlock()
		sent := now()
		switch {
		case closed:
			return nil, expired("the client was closed")
		case alive:
			return l, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case sent >= until:
			return nil, last
		}
		opened, err := c.open(ctx, server, sent, until)
		if err == nil {
			c.mutex.Lock()
			c.link = opened
			c.mutex.Unlock()
			go opened.keepAlive()
			continue
		}
		if errors.Is(err, ErrBadRequest) || errors.Is(err, ErrUnauthenticated) || errors.Is(err, ErrForbidden) {
			return nil, err
		}
		last = err
		c.mutex.Lock()
		c.at++
		pause := again
		if c.at%len(c.servers) == 0 {
			pause = 4 * again
		}
		c.mutex.Unlock()
		rest(ctx, pause)
	}
}

func (c *Client) open(ctx context.Context, server *endpoint, sent, until int64) (*link, error) {
	body := map[string]any{"meta": c.options.Meta, "follow_key": c.followKey}
	if c.options.Class != "" {
		body["class"] = c.options.Class
	}
	if c.options.TTL > 0 {
		body["ttl_ms"] = c.options.TTL.Milliseconds()
	}
	patience := time.Duration(until - sent)
	if half := c.options.Patience / 2; patience > half {
		patience = half
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var answer struct {
		Session  string  `json:"session"`
		ValidMS  *uint64 `json:"valid_ms"`
		DriftPPM *uint64 `json:"drift_ppm"`
	}
	if err := c.ask(ctx, server, "POST", "/v1/sessions", body, 201, &answer); err != nil {
		return nil, err
	}
	if answer.ValidMS == nil || *answer.ValidMS > validMax || answer.DriftPPM == nil || *answer.DriftPPM >= 1_000_000 ||
		answer.Session == "" || url.PathEscape(answer.Session) != answer.Session {
		return nil, protocol("%s opens a session that is none", server.text)
	}
	return newLink(c, server, opened(answer.Session, int64(*answer.DriftPPM), sent, int64(*answer.ValidMS))), nil
}

// Info is how a lock or an election is.
type Info struct {
	Name        string `json:"name"`
	Kind        string `json:"kind"`
	State       string `json:"state"`
	Fence       string `json:"fence"`
	Value       string `json:"value"`
	Holder      string `json:"holder"`
	RemainingMS uint64 `json:"remaining_ms"`
	Waiters     uint32 `json:"waiters"`
	// Mode and Permits of a shared lock or a semaphore, and how many hold it.
	Mode    string `json:"mode"`
	Permits uint32 `json:"permits"`
	Holders uint32 `json:"holders"`
}

// Look says how a lock is.
func (c *Client) Look(ctx context.Context, name string) (Info, error) {
	return c.look(ctx, "locks", name)
}

// Leader says who leads.
func (c *Client) Leader(ctx context.Context, name string) (Info, error) {
	return c.look(ctx, "elections", name)
}

func (c *Client) look(ctx context.Context, kind, name string) (info Info, err error) {
	for _, server := range c.servers {
		limited, cancel := context.WithTimeout(ctx, c.options.Patience)
		err = c.ask(limited, server, "GET", "/v1/"+kind+"/"+url.PathEscape(name), nil, 200, &info)
		cancel()
		if !errors.Is(err, ErrNoServer) && !errors.Is(err, ErrProtocol) {
			return info, err
		}
	}
	return info, err
}

// Event is what became of an election or a lock: granted or released.
type Event struct {
	Event string `json:"event"`
	Info
}

// Observe calls for each change of an election's leader, until the context ends or the call gives an error.
func (c *Client) Observe(ctx context.Context, name string, each func(Event) error) error {
	path, query := "/v1/elections/"+url.PathEscape(name)+"/observe", ""
	for at := 0; ctx.Err() == nil; at++ {
		server := c.servers[at%len(c.servers)]
		answer, err := c.request(ctx, server, "GET", path+query, nil)
		if err == nil {
			err = c.events(server, answer, &query, each)
		}
		var refused *Error
		if !errors.As(err, &refused) {
			return err
		}
		switch refused.Code {
		case "no_server", "protocol", "no_lease", "recovering", "limit":
			rest(ctx, 4*again)
		default:
			return err
		}
	}
	return ctx.Err()
}

func (c *Client) events(server *endpoint, answer *http.Response, query *string, each func(Event) error) error {
	defer answer.Body.Close()
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 1<<20)
	if answer.StatusCode != 200 {
		lines.Scan()
		return checked(server, answer.StatusCode, lines.Bytes(), 200, nil)
	}
	for lines.Scan() {
		text := strings.TrimPrefix(lines.Text(), "data:")
		if text == lines.Text() {
			continue
		}
		var event Event
		if err := json.Unmarshal([]byte(text), &event); err != nil {
			return protocol("an event that is none: %v", err)
		}
		if event.Fence != "" {
			*query = "?from_fence=" + url.QueryEscape(event.Fence)
		}
		if err := each(event); err != nil {
			return err
		}
	}
	return noServer(server.text, "the stream has ended")
}

// Close ends the session; everything held is free.
func (c *Client) Close() error {
	c.mutex.Lock()
	l := c.link
	c.closed, c.link = true, nil
	c.mutex.Unlock()
	if l != nil {
		l.end("the client was closed")
		l.farewell()
	}
	return nil
}
