/** kong.conf: a setting on each line. */

/** @param {string} text @returns {Record<string, string>} */
function settingsOf(text) {
  const lines = text.split("\n").filter((line) => /^\s*[^#\s]/.test(line));
  const settings = Object.fromEntries(lines.map((line) => line.split(/\s*=\s*(.*)/s).map((part) => part.trim())));
  for (const name of ["prefix", "declarative_config", "proxy_listen", "status_listen"])
    if (!settings[name]) throw new Error(`kong.conf says no ${name}`);
  if (settings.database !== "off") throw new Error("it has no database: kong.conf must say database = off");
  return settings;
}

/** `ADDRESS:PORT ssl reuseport …` */
function listenerOf(text) {
  const [, host, port, words] = /^(\S+):(\d+)(.*)$/.exec(text) ?? [];
  if (host === undefined) throw new Error(`"${text}" is nothing to listen on`);
  return { host, port: Number(port), ssl: words.split(" ").includes("ssl") };
}

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
/** nginx's way of writing a time. */
function millisecondsOf(text) {
  const [, number, unit] = /^(\d+)(ms|s|m|h)?$/.exec(text);
  return Number(number) * UNITS[unit ?? "s"];
}

module.exports = { listenerOf, millisecondsOf, settingsOf };
