/**
 * What stands in Kong's place where there is none: it reads the same kong.conf and declarative file, enforces what they
 * say as far as they are rendered here, and refuses what it does not know. It is one process, whatever number of workers is
 * asked for, and its speed says nothing about Kong's.
 *
 *   kong.cjs prepare -c KONG.CONF   checks, and leaves nginx.conf in the prefix for the next
 *   kong.cjs nginx -p PREFIX -c nginx.conf
 *   kong.cjs start -c KONG.CONF     both in one
 */
const { readFileSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const { settingsOf } = require("./settings.cjs");
const { entitiesOf } = require("./entities.cjs");
const { gateway } = require("./gateway.cjs");
const { serveStatus, serveTraffic } = require("./servers.cjs");

const [verb, ...args] = process.argv.slice(2);
const argument = (name) => args[args.indexOf(name) + 1];
const POINTER = "# Stand-in for Kong, of gatebench's tests. Read instead: ";

function read(file) {
  const settings = settingsOf(readFileSync(file, "utf8"));
  return { settings, entities: entitiesOf(readFileSync(settings.declarative_config, "utf8")) };
}

function prepare(file) {
  writeFileSync(join(read(file).settings.prefix, "nginx.conf"), `${POINTER}${file}\n`);
}

function start(file) {
  const { settings, entities } = read(file);
  const counted = { requests: 0, connections: 0 };
  serveTraffic(settings, gateway(entities, settings), counted);
  serveStatus(settings, counted);
}

const verbs = {
  prepare: () => prepare(argument("-c")),
  nginx: () =>
    start(
      readFileSync(join(argument("-p"), argument("-c")), "utf8")
        .trim()
        .slice(POINTER.length),
    ),
  start: () => start(argument("-c")),
};

process.on("uncaughtException", ({ message }) => {
  process.stderr.write(`stand-in for Kong: ${message}\n`);
  process.exit(1);
});
verbs[verb]();
