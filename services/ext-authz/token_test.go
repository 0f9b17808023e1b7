package main

import (
	"crypto/rand"
	"crypto/rsa"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

var testRules = tokenRules{key: []byte(testKey), clockSkew: 5 * time.Second, maxBytes: 8192}

func TestATokenIsFoundInTheAuthorizationHeaderOrTheReasonWhyNot(t *testing.T) {
	cases := map[string]struct {
		values []string
		token  string
		err    error
	}{
		"as RFC 6750 has it":                  {values: []string{"Bearer a.b.c"}, token: "a.b.c"},
		"the scheme in lower case":            {values: []string{"bearer a.b.c"}, token: "a.b.c"},
		"more spaces than needed":             {values: []string{"Bearer   a.b.c "}, token: "a.b.c"},
		"no header":                           {err: missing},
		"an empty header":                     {values: []string{""}, err: missing},
		"two headers":                         {values: []string{"Bearer a.b.c", "Bearer d.e.f"}, err: several},
		"two headers of which one is empty":   {values: []string{"", "Bearer d.e.f"}, err: several},
		"two headers, as Envoy joins them":    {values: []string{"Bearer a.b.c,Bearer d.e.f"}, err: several},
		"another scheme":                      {values: []string{"Basic dXNlcjpwYXNz"}, err: scheme},
		"a token without a scheme":            {values: []string{"a.b.c"}, err: scheme},
		"a scheme that begins like Bearer":    {values: []string{"BearerX a.b.c"}, err: scheme},
		"a scheme without a token (no JWT)":   {values: []string{"Bearer "}, token: ""},
		"a token with a space in it (no JWT)": {values: []string{"Bearer a.b c"}, token: "a.b c"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if token, err := bearer(c.values); token != c.token || err != c.err {
				t.Errorf("%q, %v", token, err)
			}
		})
	}
}

func TestATokenIsVerified(t *testing.T) {
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now().Unix()
	hs512 := signedBy(t, jwt.SigningMethodHS512, []byte(testKey), jwt.MapClaims{"jti": "a"})
	foreign := signedBy(t, jwt.SigningMethodHS256, []byte(strings.Repeat("x", 32)), jwt.MapClaims{"jti": "a"})
	none := signedBy(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, jwt.MapClaims{"jti": "a"})
	valid := signed(t, jwt.MapClaims{"jti": "a", "exp": inAnHour()})
	cases := map[string]struct {
		token string
		err   error
	}{
		"signed and in its time":                {valid, nil},
		"without exp and nbf":                   {signed(t, jwt.MapClaims{"jti": "a"}), nil},
		"expired an hour ago":                   {signed(t, jwt.MapClaims{"jti": "a", "exp": anHourAgo()}), expired},
		"expired within the clocks' difference": {signed(t, jwt.MapClaims{"jti": "a", "exp": now - 2}), nil},
		"expired beyond the clocks' difference": {signed(t, jwt.MapClaims{"jti": "a", "exp": now - 7}), expired},
		"valid in an hour":                      {signed(t, jwt.MapClaims{"jti": "a", "nbf": inAnHour()}), notYetValid},
		"valid within the clocks' difference":   {signed(t, jwt.MapClaims{"jti": "a", "nbf": now + 2}), nil},
		"alg none":                              {none, algorithm},
		"alg none, with a signature":            {none + "c2lnbmF0dXJl", algorithm},
		"HS512":                                 {hs512, algorithm},
		"RS256":                                 {signedBy(t, jwt.SigningMethodRS256, rsaKey, jwt.MapClaims{"jti": "a"}), algorithm},
		"an algorithm nobody knows":             {"eyJhbGciOiJIUzI1NyJ9.e30.c2ln", algorithm},
		"another key":                           {foreign, signature},
		"another key, and expired":              {signedBy(t, jwt.SigningMethodHS256, []byte("another"), jwt.MapClaims{"exp": anHourAgo()}), signature},
		"a signature that is cut":               {valid[:len(valid)-4], signature},
		"no signature":                          {valid[:strings.LastIndex(valid, ".")+1], signature},
		"claims exchanged under a signature":    {exchanged(valid), signature},
		"two parts":                             {"a.b", malformed},
		"no JWT":                                {"hello", malformed},
		"nothing":                               {"", malformed},
		"an exp that is no number":              {signed(t, jwt.MapClaims{"jti": "a", "exp": "tomorrow"}), malformed},
		"an id that is no text":                 {signed(t, jwt.MapClaims{"jti": 7}), malformed},
		"8193 bytes":                            {strings.Repeat("a", 8193), tooLong},
		"signed, and longer than may be":        {signed(t, jwt.MapClaims{"jti": strings.Repeat("a", 8192)}), tooLong},
	}
	verifier := newVerifier(testRules)
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if _, err := verifier.verify(c.token); err != c.err {
				t.Errorf("%v, not %v", err, c.err)
			}
		})
	}
}

// exchanged keeps header and signature, and puts other claims between them.
func exchanged(token string) string {
	parts := strings.Split(token, ".")
	return parts[0] + ".eyJqdGkiOiJiIn0." + parts[2]
}

func TestIssuerAndAudienceAreCheckedWhereTheyAreAskedFor(t *testing.T) {
	rules := testRules
	rules.issuer, rules.audience = "us", "api"
	cases := map[string]struct {
		claims jwt.MapClaims
		err    error
	}{
		"both right":        {jwt.MapClaims{"iss": "us", "aud": "api"}, nil},
		"one of several":    {jwt.MapClaims{"iss": "us", "aud": []string{"web", "api"}}, nil},
		"another issuer":    {jwt.MapClaims{"iss": "them", "aud": "api"}, claims},
		"no issuer":         {jwt.MapClaims{"aud": "api"}, claims},
		"another audience":  {jwt.MapClaims{"iss": "us", "aud": "web"}, claims},
		"no audience":       {jwt.MapClaims{"iss": "us"}, claims},
		"right but expired": {jwt.MapClaims{"iss": "us", "aud": "api", "exp": anHourAgo()}, expired},
	}
	verifier := newVerifier(rules)
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if _, err := verifier.verify(signed(t, c.claims)); err != c.err {
				t.Errorf("%v, not %v", err, c.err)
			}
		})
	}
}

func TestATokenIsKnownByItsIdOrElseByItsHash(t *testing.T) {
	verifier := newVerifier(testRules)
	if id, _ := verifier.verify(signed(t, jwt.MapClaims{"jti": "abc"})); id != "abc" {
		t.Errorf("%q", id)
	}
	one, _ := verifier.verify(signed(t, jwt.MapClaims{"sub": "one"}))
	two, _ := verifier.verify(signed(t, jwt.MapClaims{"sub": "two"}))
	if one == two || !strings.HasPrefix(one, "sha256:") || len(one) != len("sha256:")+64 {
		t.Errorf("%q, %q", one, two)
	}
}

func TestTheHashIsWhatPeopleGetFromSha256sum(t *testing.T) {
	// printf %s abc | sha256sum
	if id := tokenID("abc", ""); id != "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" {
		t.Error(id)
	}
}
