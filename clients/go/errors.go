package ringleader

import (
	"encoding/json"
	"fmt"
	"time"
)

// Error is a refusal, or what stands for one: what went wrong, and what is certain then.
// errors.Is compares codes: errors.Is(err, ringleader.ErrLocked).
type Error struct {
	// Code is a word: locked, timeout, session_expired, ... Unknown ones stay what they are.
	Code string
	// Message is a sentence.
	Message string
	// Certain says what is certain.
	Certain string
	// Help says what to do about it, if anything.
	Help string
	// RetryAfter says when to try again, if the server does.
	RetryAfter time.Duration

	moveTo string
}

// The errors that there are, to be compared with by errors.Is.
var (
	ErrLocked          = &Error{Code: "locked"}
	ErrModeMixed       = &Error{Code: "mode_mixed"}
	ErrTimeout         = &Error{Code: "timeout"}
	ErrSessionExpired  = &Error{Code: "session_expired"}
	ErrSessionUnknown  = &Error{Code: "session_unknown"}
	ErrNotHolder       = &Error{Code: "not_holder"}
	ErrNoLease         = &Error{Code: "no_lease"}
	ErrRecovering      = &Error{Code: "recovering"}
	ErrDraining        = &Error{Code: "draining"}
	ErrMoved           = &Error{Code: "moved"}
	ErrLimit           = &Error{Code: "limit"}
	ErrBadName         = &Error{Code: "bad_name"}
	ErrBadRequest      = &Error{Code: "bad_request"}
	ErrUnauthenticated = &Error{Code: "unauthenticated"}
	ErrForbidden       = &Error{Code: "forbidden"}
	// ErrNoServer: no server answers; nothing is certain.
	ErrNoServer = &Error{Code: "no_server"}
	// ErrProtocol: what answers is no server of this kind, or another version. Its answer counts as none.
	ErrProtocol = &Error{Code: "protocol"}
)

const free = "nothing of it is held; what the server may still keep is free when the session ends there"

func (e *Error) Error() string {
	if e.Certain == "" {
		return fmt.Sprintf("%s (%s)", e.Message, e.Code)
	}
	return fmt.Sprintf("%s (%s); certain: %s", e.Message, e.Code, e.Certain)
}

// Is says whether both have the same code. A session that is unknown is over, too.
func (e *Error) Is(target error) bool {
	other, ok := target.(*Error)
	return ok && (e.Code == other.Code || e.Code == "session_unknown" && other.Code == "session_expired")
}

func protocol(format string, args ...any) *Error {
	return &Error{Code: "protocol", Message: fmt.Sprintf(format, args...), Certain: "nothing"}
}

func noServer(server string, why any) *Error {
	return &Error{Code: "no_server", Message: fmt.Sprintf("%s does not answer: %v", server, why), Certain: "nothing"}
}

func expired(why string) *Error {
	return &Error{Code: "session_expired", Message: "the session is over: " + why, Certain: free}
}

// refusal is the error that the body of an answer describes; nil if it describes none.
func refusal(body []byte) *Error {
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil {
		return nil
	}
	text := func(key string) (value string) {
		if json.Unmarshal(fields[key], &value) != nil {
			return ""
		}
		return value
	}
	refused := &Error{Code: text("code"), Message: text("message"), Certain: text("certain"), Help: text("help")}
	if refused.Code == "" {
		return nil
	}
	var after uint32
	if json.Unmarshal(fields["retry_after_ms"], &after) == nil {
		refused.RetryAfter = time.Duration(after) * time.Millisecond
	}
	refused.moveTo = text("move_to")
	return refused
}
