// A job that runs on one machine at a time: backup UNIX_SOCKET.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	ringleader "ringleader/client"
)

func main() {
	if err := backup("unix:" + os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func backup(server string) error {
	client, err := ringleader.New(ringleader.Options{Servers: []string{server}})
	if err != nil {
		return err
	}
	defer client.Close()
	held, err := client.Lock(context.Background(), "nightly-backup", ringleader.Wait(10*time.Second))
	if errors.Is(err, ringleader.ErrTimeout) {
		fmt.Println("another machine is at it")
		return nil
	}
	if err != nil {
		return err
	}
	// A look at the clock saves work that would be in vain; what protects the data is the fence.
	if held.Held() {
		fmt.Printf("I hold it with fence %d for %v more\n", held.Fence(), held.Remaining())
	}
	return held.Release(context.Background())
}
