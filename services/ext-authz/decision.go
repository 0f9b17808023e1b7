package main

// decision is what became of one request: a reason for the client and the counters, and, where something failed, its cause.
type decision struct {
	reason reason
	token  tokenCause
	lookup lookupCause
}

// reason has the published service's names, so that queries written for it do as they are.
type reason string

const (
	success       reason = "success"
	missingHeader reason = "missing_header"
	invalidToken  reason = "invalid_token"
	blacklisted   reason = "blacklisted"
	redisError    reason = "redis_error"
)

var reasons = []reason{success, missingHeader, invalidToken, blacklisted, redisError}

// result is the label of that name: whether the request may pass.
func (r reason) result() string {
	if r == success {
		return "allow"
	}
	return "deny"
}
