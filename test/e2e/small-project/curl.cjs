const { fault, FaultError, unstatedLatency } = require("@gatebench/core/contract");

module.exports = { curl };

/** A generator that is done in a moment: a request for each connection, one after another; waits first for so long. */
function curl({ waitS = 0 } = {}) {
  const script = `sleep ${waitS}; exec curl -gsS -w '%{http_code} %{time_total}\\n' "$@"`;
  return {
    name: "curl",
    version: "8.0.0",
    models: ["closed"],
    reports: {
      connections: ["keep-alive"],
      pace: false,
      bodies: false,
      requests: "one",
      spreads: ["uniform"],
      percentiles: [],
      statuses: "codes",
      histogram: false,
      series: false,
      distributed: false,
    },
    plan: (load, { scheme, host, port, requests: [request] }) => {
      const url = `${scheme}://${host}:${port}${request?.path}`;
      const urls = Array.from({ length: connectionsOf(load) }, () => ["-o", "/dev/null", url]).flat();
      const command = ["sh", "-c", script, "sh", ...urls];
      return { kind: "containers", job: { image: "curlimages/curl:8.0.0", command, killAfterS: 20 } };
    },
    parse: ({ stdout }, asked) => parsedCurl(stdout, connectionsOf(asked?.load)),
  };
}

const connectionsOf = (load) => (load?.model === "closed" ? load.connections : 0);

function parsedCurl(stdout, requests) {
  const answers = stdout.trim().split("\n");
  const good = answers.filter((line) => line.startsWith("200 ")).length;
  if (good !== requests) throw new FaultError([fault("unparsed-output", `curl answered ${stdout}`)]);
  const durationS = answers.reduce((sum, line) => sum + Number(line.split(" ")[1]), 0);
  return {
    tool: { name: "curl" },
    durationS,
    responses: good,
    statuses: { 200: good },
    errors: {},
    rps: good / durationS,
    attemptsPerS: good / durationS,
    latencyMs: unstatedLatency,
    latencyBasis: {
      includes: { queue: false, connect: true, tls: true },
      population: "all",
      omission: "none",
      resolutionMs: 1,
      samples: good,
    },
    caveats: [],
  };
}
