package main

import (
	"strings"
	"testing"
)

func TestHelpNamesEverySettingWithItsDefault(t *testing.T) {
	code, stdout, stderr := run(t, []string{"--help"}, nil)
	if code != 0 || stderr != "" {
		t.Fatalf("%d, %q", code, stderr)
	}
	for _, text := range []string{"probe-redis [--rate 10]", "AUTH_SECRET_KEY\n", "; required\n", "AUTH_REDIS_POOL_SIZE\n", "; default 20\n"} {
		if !strings.Contains(stdout, text) {
			t.Errorf("no %q in\n%s", text, stdout)
		}
	}
}

func TestFaultsEndTheCommandBeforeAnythingListens(t *testing.T) {
	code, _, stderr := run(t, nil, map[string]string{"AUTH_REDIS_POOL_SIZE": "0"})
	if code != 2 || strings.Count(stderr, "\n") != 2 {
		t.Errorf("%d, %q", code, stderr)
	}
}

func TestACommandThatIsNoneIsToldTheOthers(t *testing.T) {
	code, _, stderr := run(t, []string{"probe"}, nil)
	line := `unknown-command: ext-authz does not know "probe". It knows: probe-redis, --help, and serves without a command.` + "\n"
	if code != 2 || stderr != line {
		t.Errorf("%d, %q", code, stderr)
	}
}
