// Package settings reads what a service is told by environment variables. Everything is checked at the start and all
// faults are told together; the text of --help comes from the same lines, so that neither can go stale.
package settings

import (
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"
)

// Setting describes one environment variable.
type Setting struct {
	Name     string
	Default  string // as somebody would write it; empty where there is none
	Possible string // as in "a whole number from 1 to 65535"
	Meaning  string
	Required bool
	Secret   bool // its value is repeated nowhere
}

// Reader reads settings one after the other and remembers them, and what is wrong with them.
type Reader struct {
	lookup   func(name string) (string, bool)
	settings []Setting
	faults   []string
}

// From reads from a function such as os.LookupEnv.
func From(lookup func(string) (string, bool)) *Reader { return &Reader{lookup: lookup} }

// Read reads one setting; an empty value counts as none, because manifests write those. After a fault it gives nothing
// worth using, which is why faults are asked for before anything else happens.
func Read[T any](r *Reader, s Setting, parse func(text string) (T, bool)) T {
	r.settings = append(r.settings, s)
	text, _ := r.lookup(s.Name)
	if text == "" {
		text = s.Default
	}
	value, ok := parse(text)
	if text == "" && s.Required {
		r.Fault("missing-setting: %s is not set. It takes %s. Set it.", s.Name, s.Possible)
	} else if !ok {
		r.Fault("invalid-setting: %s is %s. It takes %s. %s.", s.Name, shown(s, text), s.Possible, advice(s))
	}
	return value
}

func shown(s Setting, text string) string {
	if s.Secret {
		return fmt.Sprintf("something else (%d bytes, not repeated here)", len(text))
	}
	return strconv.Quote(text)
}

func advice(s Setting) string {
	if s.Default == "" {
		return "Correct it"
	}
	return "Correct it, or leave it out for " + s.Default
}

// Fault adds a line of the caller's own: where two settings do not go together.
func (r *Reader) Fault(format string, values ...any) {
	r.faults = append(r.faults, fmt.Sprintf(format, values...))
}

// Faults are the lines to print; the service starts where there are none.
func (r *Reader) Faults() []string { return r.faults }

// Help lists every setting that was read.
func (r *Reader) Help() string {
	var text strings.Builder
	for _, s := range r.settings {
		fmt.Fprintf(&text, "  %s\n      %s\n      %s; %s\n", s.Name, s.Meaning, s.Possible, s.without())
	}
	return text.String()
}

func (s Setting) without() string {
	switch {
	case s.Required:
		return "required"
	case s.Default == "":
		return "none by default"
	}
	return "default " + s.Default
}

// Whole reads a whole number.
func (r *Reader) Whole(name string, otherwise, least, most int, meaning string) int {
	possible := fmt.Sprintf("a whole number from %d to %d", least, most)
	s := Setting{Name: name, Default: strconv.Itoa(otherwise), Possible: possible, Meaning: meaning}
	return Read(r, s, func(text string) (int, bool) {
		number, err := strconv.Atoi(text)
		return number, err == nil && least <= number && number <= most
	})
}

// Duration reads a time with its unit.
func (r *Reader) Duration(name string, otherwise, least, most time.Duration, meaning string) time.Duration {
	possible := fmt.Sprintf(`a time with its unit, such as "250ms", from %s to %s`, least, most)
	s := Setting{Name: name, Default: otherwise.String(), Possible: possible, Meaning: meaning}
	return Read(r, s, func(text string) (time.Duration, bool) {
		duration, err := time.ParseDuration(text)
		return duration, err == nil && least <= duration && duration <= most
	})
}

// Text reads any text.
func (r *Reader) Text(name, otherwise, meaning string) string {
	s := Setting{Name: name, Default: otherwise, Possible: "any text", Meaning: meaning}
	return Read(r, s, func(text string) (string, bool) { return text, true })
}

// Address reads the address to listen on: one of this machine's, or none for all of them.
func (r *Reader) Address(name string) string {
	s := Setting{Name: name, Possible: "an IP address", Meaning: "address to listen on; without it, all of them"}
	return Read(r, s, func(text string) (string, bool) { return text, text == "" || net.ParseIP(text) != nil })
}

// Port reads a TCP port.
func (r *Reader) Port(name string, otherwise int, meaning string) int {
	return r.Whole(name, otherwise, 1, 65535, meaning)
}
