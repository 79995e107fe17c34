package ringleader

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

const (
	bodyMax = 8 << 20
	// More than any server promises; what is larger is no promise.
	validMax = 10_000_000_000
	expected = "a server is https://HOST:PORT, https://HOST:PORT#NAME with the name in its certificate, or unix:PATH"
)

// endpoint is where a server is.
type endpoint struct {
	text, base, address string
	http                *http.Client
}

type requestState struct {
	Rid   *uint64 `json:"rid"`
	State string  `json:"state"`
	Fence *string `json:"fence,omitempty"`
}

func badServer(text, why string) *Error {
	message := fmt.Sprintf("`%s` is no server: %s", text, why)
	return &Error{Code: "bad_request", Message: message, Certain: "nothing was done", Help: expected}
}

// parse reads https://HOST:PORT, https://HOST:PORT#NAME or unix:PATH; http:// on this machine only.
func parse(text string, options *Options, trust *tls.Config) (*endpoint, error) {
	dialer := &net.Dialer{Timeout: 2 * time.Second}
	transport := &http.Transport{DialContext: dialer.DialContext, MaxIdleConnsPerHost: 64, DisableCompression: true}
	server := &endpoint{text: text, base: "http://localhost"}
	if strings.HasPrefix(text, "unix:") {
		path := strings.TrimPrefix(strings.TrimPrefix(text, "unix:"), "//")
		if path == "" {
			return nil, badServer(text, "there is no path after unix:")
		}
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, "unix", path)
		}
	} else {
		at, err := url.Parse(text)
		if err != nil || at.Scheme != "https" && at.Scheme != "http" {
			return nil, badServer(text, "it begins with neither https:// nor unix:")
		}
		port, err := net.LookupPort("tcp", at.Port())
		if err != nil || port == 0 || at.Hostname() == "" || at.User != nil || strings.Trim(at.Path, "/") != "" {
			return nil, badServer(text, "it has no host or no port, or more than that")
		}
		if ip := net.ParseIP(at.Hostname()); at.Scheme == "http" && (ip == nil || !ip.IsLoopback()) {
			return nil, badServer(text, "plain text is for 127.0.0.1 and [::1] only")
		}
		if at.Scheme == "https" {
			if trust == nil {
				return nil, &Error{Code: "bad_request", Message: "no authority was named", Certain: "nothing was asked",
					Help: "Options.Authority: the file ca.pem of the cluster"}
			}
			transport.TLSClientConfig = trust.Clone()
			transport.TLSClientConfig.ServerName = at.Hostname()
			if at.Fragment != "" {
				transport.TLSClientConfig.ServerName = at.Fragment
			}
		}
		server.base, server.address = at.Scheme+"://"+at.Host, at.Host
	}
	server.http = &http.Client{
		Transport: transport,
		// A session that has moved is followed by its rules, not by those of redirects.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return server, nil
}

func trusted(options *Options) (*tls.Config, error) {
	if options.Authority == "" {
		return nil, nil
	}
	bad := func(err error) error {
		return &Error{Code: "bad_credentials", Message: err.Error(), Certain: "nothing was asked"}
	}
	authority, err := os.ReadFile(options.Authority)
	if err != nil {
		return nil, bad(err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(authority) {
		return nil, bad(errors.New(options.Authority + " has no certificate in PEM form"))
	}
	config := &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS13}
	if options.Certificate != "" {
		pair, err := tls.LoadX509KeyPair(options.Certificate, options.Key)
		if err != nil {
			return nil, bad(err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

func (c *Client) request(ctx context.Context, to *endpoint, method, path string, body any) (*http.Response, error) {
	var text io.Reader
	if body != nil {
		bytesOf, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		text = bytes.NewReader(bytesOf)
	}
	question, err := http.NewRequestWithContext(ctx, method, to.base+path, text)
	if err != nil {
		return nil, err
	}
	if body != nil {
		question.Header.Set("Content-Type", "application/json")
	}
	if c.options.Token != "" {
		question.Header.Set("Authorization", "Bearer "+c.options.Token)
	}
	answer, err := to.http.Do(question)
	if err != nil {
		return nil, noServer(to.text, err)
	}
	return answer, nil
}

// ask gives the answer if its number is the wanted one, read into a structure. A refusal is an error, and whatever else
// comes counts as no answer.
func (c *Client) ask(ctx context.Context, to *endpoint, method, path string, body any, wanted int, into any) error {
	answer, err := c.request(ctx, to, method, path, body)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, bodyMax))
	if err != nil {
		return noServer(to.text, err)
	}
	return checked(to, answer.StatusCode, text, wanted, into)
}

func checked(to *endpoint, status int, text []byte, wanted int, into any) error {
	if status != wanted {
		if refused := refusal(text); refused != nil && status >= 300 {
			return refused
		}
		return protocol("%s answers `%d`, which is none of the answers that there are", to.text, status)
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(text, into); err != nil {
		return protocol("%s answers something else than it was asked: %v", to.text, err)
	}
	return nil
}
