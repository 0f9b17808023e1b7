package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// tokenCause is why a token is refused: the label "cause" of ext_authz_errors_total{type="jwt_verify"}.
type tokenCause string

const (
	missing     tokenCause = "missing"       // no Authorization header; a request without credentials, not an error
	several     tokenCause = "several"       // more than one: which of them the upstream would believe is unknown
	scheme      tokenCause = "scheme"        // another than Bearer
	tooLong     tokenCause = "too_long"      // refused before it is decoded
	malformed   tokenCause = "malformed"     // no JWT
	algorithm   tokenCause = "algorithm"     // another than HS256, "none" among them
	signature   tokenCause = "signature"     // another key's
	expired     tokenCause = "expired"       // exp has passed
	notYetValid tokenCause = "not_yet_valid" // nbf has not come
	claims      tokenCause = "claims"        // another issuer or audience, or one that is missing
)

var tokenCauses = []tokenCause{several, scheme, tooLong, malformed, algorithm, signature, expired, notYetValid, claims}

func (c tokenCause) Error() string { return "token refused: " + string(c) }

// bearer finds the token among the values of the Authorization header. Envoy joins the values of equal headers with a
// comma, which no token has.
func bearer(authorizations []string) (string, error) {
	switch {
	case strings.Join(authorizations, "") == "":
		return "", missing
	case len(authorizations) > 1 || strings.Contains(authorizations[0], ","):
		return "", several
	}
	name, token, _ := strings.Cut(authorizations[0], " ")
	if !strings.EqualFold(name, "Bearer") {
		return "", scheme
	}
	return strings.TrimSpace(token), nil
}

// verifier checks JWTs that were signed with one key by HMAC-SHA256, and by nothing else.
type verifier struct {
	key      []byte
	maxBytes int
	parser   *jwt.Parser
}

// tokenRules are what a token must satisfy. A token without exp or nbf is valid at any time, as RFC 7519 has it.
type tokenRules struct {
	key       []byte
	issuer    string        // empty: any
	audience  string        // empty: any
	clockSkew time.Duration // by how much the clocks of issuer and service may differ
	maxBytes  int
}

func newVerifier(rules tokenRules) verifier {
	options := []jwt.ParserOption{jwt.WithLeeway(rules.clockSkew)}
	if rules.issuer != "" {
		options = append(options, jwt.WithIssuer(rules.issuer))
	}
	if rules.audience != "" {
		options = append(options, jwt.WithAudience(rules.audience))
	}
	return verifier{key: rules.key, maxBytes: rules.maxBytes, parser: jwt.NewParser(options...)}
}

// verify gives the id under which the blacklist knows the token, or a tokenCause.
func (v verifier) verify(token string) (id string, err error) {
	if len(token) > v.maxBytes {
		return "", tooLong
	}
	var held jwt.RegisteredClaims
	if _, err := v.parser.ParseWithClaims(token, &held, v.keyFor); err != nil {
		return "", tokenCauseOf(err)
	}
	return tokenID(token, held.ID), nil
}

// keyFor is asked before the signature is looked at: what is not HS256 never meets the key.
func (v verifier) keyFor(token *jwt.Token) (any, error) {
	if token.Method != jwt.SigningMethodHS256 {
		return nil, algorithm
	}
	return v.key, nil
}

// tokenID is the token's own (jti); where it has none, its hash does as well.
func tokenID(token, jti string) string {
	if jti != "" {
		return jti
	}
	sum := sha256.Sum256([]byte(token))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// The library joins every reason it has; the first of these that is among them is told.
var causesOfErrors = []struct {
	err   error
	cause tokenCause
}{
	{jwt.ErrTokenMalformed, malformed},
	{jwt.ErrTokenUnverifiable, algorithm},
	{jwt.ErrTokenSignatureInvalid, signature},
	{jwt.ErrTokenExpired, expired},
	{jwt.ErrTokenNotValidYet, notYetValid},
	{jwt.ErrTokenInvalidClaims, claims},
}

func tokenCauseOf(err error) tokenCause {
	for _, known := range causesOfErrors {
		if errors.Is(err, known.err) {
			return known.cause
		}
	}
	return malformed
}
