// Leads until it is lost or interrupted: leader UNIX_SOCKET.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"time"

	ringleader "ringleader/client"
)

func main() {
	if err := lead("unix:" + os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func lead(server string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	client, err := ringleader.New(ringleader.Options{Servers: []string{server}})
	if err != nil {
		return err
	}
	defer client.Close()
	held, err := client.Campaign(ctx, "main", "here", ringleader.Priority(1))
	if err != nil {
		return err
	}
	fmt.Printf("I lead with fence %d\n", held.Fence())
	for {
		select {
		case <-held.Done():
			fmt.Println("I lead no more")
			return nil
		case <-ctx.Done():
			return held.Release(context.Background())
		case <-time.After(time.Second):
			fmt.Printf("still, for %v at least\n", held.Remaining())
		}
	}
}
