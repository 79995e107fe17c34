package ringleader

import (
	"sync"
	"time"
)

// Now is this moment on the clock of deadlines, which goes on while the machine sleeps.
func Now() time.Duration { return time.Duration(now()) }

// sleepless is a clock for where none counts sleep: the monotonic one, put forward by what the wall clock says it has
// missed. A wall clock that was set back hides how long the machine slept: then it leaps a day, and every session ends.
type sleepless struct {
	mutex        sync.Mutex
	steady, wall func() int64
	base, ahead  int64
}

func newSleepless(steady, wall func() int64) *sleepless {
	return &sleepless{steady: steady, wall: wall, base: wall() - steady()}
}

func (c *sleepless) now() int64 {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for {
		before := c.steady()
		missed := c.wall() - before - c.base
		steady := c.steady()
		// Both were read at one moment, or this process was paused between them: then once more.
		if steady-before > step/4 {
			continue
		}
		if missed > step {
			c.base, c.ahead = c.base+missed, c.ahead+missed
		} else if missed < -step {
			c.base, c.ahead = c.base+missed, c.ahead+int64(24*time.Hour)
		}
		return steady + c.ahead
	}
}

// What two clocks may differ by although nothing was missed.
const step = int64(250 * time.Millisecond)

var begun = time.Now()

func portable() func() int64 {
	steady := func() int64 { return int64(time.Since(begun)) }
	return newSleepless(steady, func() int64 { return time.Now().UnixNano() }).now
}
