package ringleader

import (
	"errors"
	"math"
	"math/big"
	"testing"
	"time"
)

func TestClockWithoutSleepCountsIt(t *testing.T) {
	steady, wall := int64(5*time.Second), int64(100*time.Second)
	clock := newSleepless(func() int64 { return steady }, func() int64 { return wall })
	begun := clock.now()
	steady, wall = steady+int64(time.Second), wall+int64(60*time.Second)
	if passed := time.Duration(clock.now() - begun); passed != time.Minute {
		t.Errorf("a minute, of which 59 s were slept, is %v", passed)
	}
	wall -= int64(time.Hour)
	if passed := time.Duration(clock.now() - begun); passed < 24*time.Hour {
		t.Errorf("a wall clock that was set back must end everything; %v have passed", passed)
	}
}

func TestTheClockGoesOn(t *testing.T) {
	if before := Now(); Now() < before {
		t.Error("it goes back")
	}
}

func TestDeadlineIsRoundedDown(t *testing.T) {
	for _, each := range [][2]int64{{3000, 5000}, {1, 1}, {validMax, 999_999}, {60_000, 300_000}, {7, 333_333}} {
		s := opened("s", each[1], 0, each[0])
		exact := big.NewInt(each[0] * 1_000_000)
		exact.Mul(exact, big.NewInt(1_000_000-each[1]))
		exact.Quo(exact, big.NewInt(1_000_000+each[1]))
		if s.deadline > exact.Int64() || exact.Int64()-s.deadline > 1_000_000 {
			t.Errorf("%v: the deadline is %d, and not %v", each, s.deadline, exact)
		}
	}
}

func TestNothingRevivesASession(t *testing.T) {
	s := opened("s", 5000, 0, 3000)
	r := s.asks("/", nil)
	end := s.deadline
	s.keptAlive(end, end, 3000)
	if s.alive(1) || s.granted(1, r, 7) {
		t.Error("it is over at its deadline, for ever")
	}
}

func TestFencesAreStringsOfUpTo63Bits(t *testing.T) {
	largest := "9223372036854775807"
	if fence, err := fenceOf(&largest); err != nil || fence != math.MaxInt64 {
		t.Errorf("%d, %v", fence, err)
	}
	for _, text := range []string{"", "-1", "+1", " 1", "9223372036854775808", "1e3"} {
		if _, err := fenceOf(&text); !errors.Is(err, ErrProtocol) {
			t.Errorf("`%s` is no fence", text)
		}
	}
}

func TestBadServersAreRefusedWithWhatIsNeeded(t *testing.T) {
	for _, text := range []string{"", "unix:", "https://a", "http://10.0.0.1:1", "ftp://a:1", "https://a:1/x"} {
		_, err := New(Options{Servers: []string{text}})
		var refused *Error
		if !errors.As(err, &refused) || !errors.Is(err, ErrBadRequest) || refused.Help == "" {
			t.Errorf("`%s`: %v", text, err)
		}
	}
}

func TestErrorsAreComparedByTheirCodes(t *testing.T) {
	err := refusal([]byte(`{"code":"session_unknown","message":"m","certain":"c","retry_after_ms":5}`))
	if !errors.Is(err, ErrSessionExpired) || !errors.Is(err, ErrSessionUnknown) || errors.Is(err, ErrLocked) {
		t.Error(err)
	}
	for _, body := range []string{"", "[]", "{}", `{"code":5}`} {
		if refusal([]byte(body)) != nil {
			t.Errorf("`%s` is no refusal", body)
		}
	}
}
