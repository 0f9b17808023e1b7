import type { CountersProbe, HttpProbe, PauseProbe, Probe, TlsProbe } from "../../contract";
import { fileOf } from "../../contract";

/** What of openssl's output is reported. The rest holds the session's keys. */
const tellingLines = [
  "CONNECTED*",
  "New,*",
  "Reused,*",
  "*Temp Key: *",
  "*TLS1.3 group: *",
  "*Public Key Algorithm: *",
  "*Public-Key: (*",
  "*ession ticket lifetime hint*",
  "*ession Ticket arrived*",
  "*:error:*",
];

/** Seconds for one handshake, with what little is sent over it. */
export const handshakeS = 4;

const beginning = (gateway: string) => `#!/bin/sh
# What gatebench asks of a running gateway before it measures it. curl sends the requests, openssl makes the handshakes.
# Credentials stand in files that curl reads, never in a command. What came back are lines on stdout.
set -u
LC_ALL=C
export LC_ALL
gateway=${quoted(gateway)}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1

# told PATTERN...: the lines of stdin that match a pattern.
told() {
  while IFS= read -r line || [ -n "$line" ]; do
    for pattern; do
      case $line in
        $pattern) printf 'told %s\\n' "$line"; break ;;
      esac
    done
  done | cut -c1-600
}

# transfer SECONDS CONFIG: one curl, its answers, headers and bodies in this folder.
transfer() {
  timeout "$1" curl -q -K "$2" >answers 2>/dev/null
  echo "curl $?" >status
}

# hashes [SED-COMMAND]: of every body, less what that takes out of it.
hashes() {
  for body in body-*; do
    [ -e "$body" ] || continue
    [ -z "$1" ] || { sed -E "$1" <"$body" >rest && cat rest >"$body"; }
    sha256sum "$body"
  done
}

# http NAME CONNECTIONS SECONDS CONFIG SED-COMMAND [HEADER-PATTERN...]: so many transfers at once, each in a folder of
# its own.
http() (
  mkdir "$1" && cd "$1" || exit
  connections=$(seq "$2")
  seconds=$3
  config=$4
  taken_out=$5
  shift 5
  for connection in $connections; do
    mkdir "$connection"
    (cd "$connection" && transfer "$seconds" "$config") &
  done
  wait
  for connection in $connections; do
    cat "$connection/status" "$connection/answers"
    [ $# = 0 ] || cat "$connection"/headers-* 2>/dev/null | tr 'A-Z\\r' 'a-z\\n' | told 'http/*' "$@"
    (cd "$connection" && hashes "$taken_out")
  done
)

# handshake NAME OPTION...: what was agreed, and the certificate's key.
handshake() (
  name=$1
  shift
  timeout ${handshakeS} openssl s_client -connect "$gateway" "$@" </dev/null >"$name.handshake" 2>&1
  echo "openssl $?"
  openssl x509 -noout -text <"$name.handshake" >>"$name.handshake" 2>/dev/null
  agreed <"$name.handshake"
)

agreed() {
  told ${tellingLines.map(quoted).join(" ")}
}

# resume NAME TIMES REQUEST OPTION...: one handshake with a request and its answer, because a ticket may come only with
# the answer; then attempts to resume that session.
resume() (
  mkdir "$1" && cd "$1" || exit
  times=$2
  request=$3
  shift 3
  timeout ${handshakeS} openssl s_client -connect "$gateway" "$@" -ign_eof -sess_out session <"$request" >handshake 2>&1
  echo "openssl $?"
  agreed <handshake
  [ -s session ] || { echo "session none"; exit; }
  for attempt in $(seq "$times"); do
    timeout ${handshakeS} openssl s_client -connect "$gateway" "$@" -sess_in session </dev/null >handshake 2>&1
    status=$?
    echo "openssl $status"
    agreed <handshake
    [ $status = 0 ] || exit
  done
)

# counters NAME SECONDS CONFIG: the text of the pages.
counters() (
  mkdir "$1" && cd "$1" || exit
  transfer "$2" "$3"
  cat status
  for page in page-*; do
    echo "$page"
    head -c 65536 "$page" 2>/dev/null | told '*'
  done
)
`;

/** The script that carries out all probes: what may run together does, the rest one by one. */
export function probeScript(probes: readonly Probe[], gateway: string): string {
  const runs = probes.flatMap((probe, index) => run(probe, probes[index + 1]));
  return [beginning(gateway), ...runs, "", ...reports(probes), ""].join("\n");
}

function run(probe: Probe, following: Probe | undefined): readonly string[] {
  if (probe.kind === "pause") return [`sleep ${probe.seconds}`];
  const command = `${commandOf(probe)} >${probe.name}.report`;
  if (probe.alone) return [command];
  return following && !following.alone ? [`${command} &`] : [`${command} &`, "wait"];
}

function commandOf(probe: Exclude<Probe, PauseProbe>): string {
  if (probe.kind === "http") return httpCommand(probe);
  return probe.kind === "tls" ? tlsCommand(probe) : countersCommand(probe);
}

function httpCommand({ name, connections, withinS, headers = [], without }: HttpProbe): string {
  const patterns = headers.map((header) => quoted(`${header}:*`));
  const takenOut = quoted(without === undefined ? "" : `s~${without.replaceAll("~", "\\~")}~~g`);
  return ["http", name, connections, withinS, quoted(fileOf(`${name}.curl`)), takenOut, ...patterns].join(" ");
}

function tlsCommand({ name, version, ciphers, resume }: TlsProbe): string {
  const options = [
    version === "1.2" ? "-tls1_2" : "-tls1_3",
    ...(ciphers === undefined ? [] : ["-cipher", quoted(ciphers)]),
    ...(resume?.by === "id" ? ["-no_ticket"] : []),
  ];
  if (resume === undefined) return ["handshake", name, ...options].join(" ");
  return ["resume", name, resume.times, quoted(fileOf(`${name}.http`)), ...options].join(" ");
}

function countersCommand({ name }: CountersProbe): string {
  return ["counters", name, countersS, quoted(fileOf(`${name}.curl`))].join(" ");
}

/** Seconds for reading all pages. */
export const countersS = 5;

function reports(probes: readonly Probe[]): readonly string[] {
  const named = probes.filter(({ kind }) => kind !== "pause").map(({ name }) => name);
  const each = named.map((name) => `echo "probe ${name}"; cat ${name}.report`);
  return [`echo "${firstLine}"`, ...each, `echo "${lastLine(named.length)}"`];
}

export const firstLine = "gatebench probes 1";
/** Its absence shows that output was cut short. */
export const lastLine = (probes: number) => `end of ${probes} probes`;

/** One word of a shell, whatever it holds. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
