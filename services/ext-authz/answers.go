package main

import (
	corev3 "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	authv3 "github.com/envoyproxy/go-control-plane/envoy/service/auth/v3"
	typev3 "github.com/envoyproxy/go-control-plane/envoy/type/v3"
	"google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
)

// answers are what the gateway is told. Those that refuse have the published service's bodies and, but for one, status.
type answers struct {
	// redisErrorStatus is for requests about which Redis could not be asked. Published: 500.
	redisErrorStatus int
}

func (a answers) to(why reason) *authv3.CheckResponse {
	switch why {
	case success:
		return allowed()
	case missingHeader:
		return denied(codes.Unauthenticated, 401, "Missing Authorization header", challenge)
	case invalidToken:
		return denied(codes.Unauthenticated, 401, "Invalid token", challenge)
	case blacklisted:
		return denied(codes.PermissionDenied, 403, "Token is blacklisted")
	}
	return denied(codes.Unavailable, a.redisErrorStatus, "Internal Authorization Error")
}

// challenge must stand beside every 401 (RFC 9110, 15.5.2).
var challenge = &corev3.HeaderValueOption{Header: &corev3.HeaderValue{Key: "www-authenticate", Value: "Bearer"}}

// allowed changes nothing: the request goes on with the headers it came with.
func allowed() *authv3.CheckResponse {
	return &authv3.CheckResponse{
		Status:       &status.Status{Code: int32(codes.OK)},
		HttpResponse: &authv3.CheckResponse_OkResponse{OkResponse: &authv3.OkHttpResponse{}},
	}
}

func denied(code codes.Code, httpStatus int, body string, headers ...*corev3.HeaderValueOption) *authv3.CheckResponse {
	return &authv3.CheckResponse{
		Status: &status.Status{Code: int32(code)},
		HttpResponse: &authv3.CheckResponse_DeniedResponse{DeniedResponse: &authv3.DeniedHttpResponse{
			Status:  &typev3.HttpStatus{Code: typev3.StatusCode(httpStatus)},
			Headers: headers,
			Body:    body,
		}},
	}
}
