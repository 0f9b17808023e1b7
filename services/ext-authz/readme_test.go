package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"gatebench.invalid/services/internal/settings"
)

func readme(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestTheReadmeHasEverySettingWithItsDefault(t *testing.T) {
	reader := settings.From(lookup(nil))
	readConfig(reader)
	entries := regexp.MustCompile(`(?m)^  (AUTH_\w+)\n.*\n.*; (?:default (.+)|required|none by default)$`).FindAllStringSubmatch(reader.Help(), -1)
	if len(entries) < 15 {
		t.Fatalf("%d settings in %s", len(entries), reader.Help())
	}
	for _, entry := range entries {
		name, otherwise := entry[1], entry[2]
		row := regexp.MustCompile("(?m)^\\| `" + name + "` .*$").FindString(readme(t))
		if row == "" || otherwise != "" && !strings.Contains(row, "| `"+otherwise+"` ") {
			t.Errorf("%s, default %q: %q", name, otherwise, row)
		}
	}
}

func TestTheReadmeHasEveryMetricAndEveryCause(t *testing.T) {
	redis := startRedis(t)
	service := startService(t, map[string]string{"AUTH_REDIS_URL": redis.url()})
	text := strings.NewReplacer("`…_misses_total`", "`ext_authz_redis_pool_misses_total`",
		"`…_wait_seconds_total`", "`ext_authz_redis_pool_wait_seconds_total`").Replace(readme(t))
	for _, metric := range regexp.MustCompile(`(?m)^# TYPE (ext_authz_\w+) `).FindAllStringSubmatch(service.get("/metrics"), -1) {
		if !regexp.MustCompile("`" + metric[1] + "[`{]").MatchString(text) {
			t.Errorf("no %s", metric[1])
		}
	}
	for _, cause := range tokenCauses {
		if !strings.Contains(text, "`"+string(cause)+"`") {
			t.Errorf("no %s", cause)
		}
	}
	for _, cause := range lookupCauses {
		if !strings.Contains(text, "| `"+string(cause)+"` ") {
			t.Errorf("no %s", cause)
		}
	}
}
