// The client as a program for the conformance suite and the fault run: lines of JSON in, lines of JSON out.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"strconv"
	"sync"
	"time"

	ringleader "ringleader/client"
)

type command struct {
	ID          int      `json:"id"`
	Op          string   `json:"op"`
	Servers     []string `json:"servers"`
	Token       string   `json:"token"`
	Authority   string   `json:"authority"`
	Certificate string   `json:"certificate"`
	Key         string   `json:"key"`
	Meta        string   `json:"meta"`
	Class       string   `json:"session_class"`
	PatienceMS  int64    `json:"patience_ms"`
	Name        string   `json:"name"`
	Kind        string   `json:"kind"`
	WaitMS      *int64   `json:"wait_ms"`
	Try         bool     `json:"try"`
	Value       string   `json:"value"`
	Priority    uint32   `json:"priority"`
	Mode        string   `json:"mode"`
	Permits     *uint32  `json:"permits"`
	Names       []string `json:"names"`
	Seconds     float64  `json:"seconds"`
	HoldMS      float64  `json:"hold_ms"`
	Record      string   `json:"record"`
}

type driver struct {
	mutex  sync.Mutex
	out    *json.Encoder
	client *ringleader.Client
	held   map[string]*ringleader.Held
	cancel map[string]context.CancelFunc
}

type reply map[string]any

func (d *driver) say(id int, said reply) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	said["id"] = id
	_ = d.out.Encode(said)
}

func described(err error) reply {
	var refused *ringleader.Error
	if !errors.As(err, &refused) {
		return reply{"error": reply{"code": "cancelled", "message": err.Error()}}
	}
	code := refused.Code
	if code == "session_unknown" {
		code = "session_expired"
	}
	said := reply{"code": code, "message": refused.Message, "certain": refused.Certain, "help": refused.Help}
	if refused.RetryAfter > 0 {
		said["retry_after_ms"] = refused.RetryAfter.Milliseconds()
	}
	return reply{"error": said}
}

func (d *driver) acquire(ctx context.Context, c command) (*ringleader.Held, error) {
	var options []ringleader.Option
	if c.WaitMS != nil {
		options = append(options, ringleader.Wait(time.Duration(*c.WaitMS)*time.Millisecond))
	}
	if c.Try {
		options = append(options, ringleader.Try())
	}
	if c.Mode == "shared" {
		options = append(options, ringleader.Shared())
	}
	if c.Permits != nil {
		options = append(options, ringleader.Permits(*c.Permits))
	}
	if c.Kind == "election" {
		return d.client.Campaign(ctx, c.Name, c.Value, append(options, ringleader.Priority(c.Priority))...)
	}
	if c.Value != "" {
		options = append(options, ringleader.Value(c.Value))
	}
	return d.client.Lock(ctx, c.Name, options...)
}

func (d *driver) state() reply {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	all := []reply{}
	for key, held := range d.held {
		remaining, lost := held.Remaining(), false
		select {
		case <-held.Done():
			lost = true
		default:
		}
		all = append(all, reply{"key": key, "fence": strconv.FormatUint(held.Fence(), 10), "held": remaining > 0,
			"remaining_ms": float64(remaining) / 1e6, "lost": lost})
	}
	return reply{"holds": all}
}

func (d *driver) obey(ctx context.Context, c command, key string) (reply, error) {
	switch c.Op {
	case "about":
		return reply{"language": "go", "unix": true, "cancel": true}, nil
	case "open":
		client, err := ringleader.New(ringleader.Options{Servers: c.Servers, Authority: c.Authority, Token: c.Token,
			Certificate: c.Certificate, Key: c.Key, Meta: c.Meta, Class: c.Class,
			Patience: time.Duration(c.PatienceMS) * time.Millisecond})
		d.client = client
		return reply{"ok": true}, err
	case "state":
		return d.state(), nil
	case "acquire":
		held, err := d.acquire(ctx, c)
		if err != nil {
			return nil, err
		}
		d.mutex.Lock()
		d.held[key] = held
		d.mutex.Unlock()
		return reply{"fence": strconv.FormatUint(held.Fence(), 10)}, nil
	case "release":
		d.mutex.Lock()
		held := d.held[key]
		d.mutex.Unlock()
		return reply{"ok": true}, held.Release(ctx)
	case "observe":
		return nil, d.client.Observe(ctx, c.Name, func(event ringleader.Event) error {
			d.say(c.ID, reply{"event": reply{"event": event.Event, "fence": event.Fence, "value": event.Value}})
			return nil
		})
	case "contend":
		counts, err := contend(d.client, c)
		return reply{"ok": true, "counts": counts}, err
	case "close":
		return reply{"ok": true}, d.client.Close()
	}
	return nil, errors.New("an unknown command")
}

func main() {
	d := &driver{out: json.NewEncoder(os.Stdout), held: map[string]*ringleader.Held{}, cancel: map[string]context.CancelFunc{}}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c command
		// `key` is a hold in most commands, and a file in `open`.
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			panic(err)
		}
		if c.Op == "cancel" {
			d.cancel[c.Key]()
			continue
		}
		ctx, cancel := context.WithCancel(context.Background())
		d.cancel[c.Key] = cancel
		work := func() {
			said, err := d.obey(ctx, c, c.Key)
			if err != nil {
				said = described(err)
			}
			d.say(c.ID, said)
		}
		if c.Op == "open" || c.Op == "about" {
			work()
		} else {
			go work()
		}
	}
}
