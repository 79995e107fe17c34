package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"time"

	ringleader "ringleader/client"
)

// contend is the work of the fault run: it takes locks, holds them for a moment, and writes down what it believed. Each
// line: lock, fence, from and until in nanoseconds on the clock Now, how it ended.
func contend(client *ringleader.Client, c command) (map[string]int, error) {
	record, err := os.Create(c.Record)
	if err != nil {
		return nil, err
	}
	defer record.Close()
	random := rand.New(rand.NewSource(time.Now().UnixNano()))
	counts := map[string]int{"granted": 0, "released": 0, "lost": 0, "refused": 0}
	until := ringleader.Now() + time.Duration(c.Seconds*float64(time.Second))
	for ringleader.Now() < until {
		name := c.Names[random.Intn(len(c.Names))]
		held, err := client.Lock(context.Background(), name, ringleader.Wait(time.Duration(*c.WaitMS)*time.Millisecond))
		if err != nil {
			counts["refused"]++
			time.Sleep(20 * time.Millisecond)
			continue
		}
		counts["granted"]++
		begun := ringleader.Now()
		stays := time.Duration(random.ExpFloat64() * c.HoldMS * float64(time.Millisecond))
		for held.Held() && ringleader.Now() < begun+stays {
			time.Sleep(2 * time.Millisecond)
		}
		// What it believes ends here: when it begins to give it back, or at its deadline.
		last, end := ringleader.Now(), "released"
		if deadline := held.Deadline(); last > deadline {
			last = deadline
		}
		if err := held.Release(context.Background()); err != nil {
			counts["lost"]++
			end = "lost"
			if !errors.Is(err, ringleader.ErrSessionExpired) && !errors.Is(err, ringleader.ErrNotHolder) {
				fmt.Fprintln(os.Stderr, err)
			}
		} else {
			counts["released"]++
		}
		fmt.Fprintf(record, "%s %d %d %d %s\n", name, held.Fence(), int64(begun), int64(last), end)
	}
	return counts, nil
}
