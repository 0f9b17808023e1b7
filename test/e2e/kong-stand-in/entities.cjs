/** The declarative file: services with routes, upstreams with targets, consumers with credentials, plugins. */
const { parse } = require("yaml");

const PLUGINS = ["key-auth", "basic-auth", "rate-limiting"];

function entitiesOf(text) {
  const { services = [], upstreams = [], consumers = [], plugins = [] } = parse(text);
  if (services.length === 0) throw new Error("the declarative file has no service");
  const everyPlugin = [plugins, ...services.flatMap(({ routes = [] }) => routes.map((route) => route.plugins ?? []))];
  for (const { name } of everyPlugin.flat()) if (!PLUGINS.includes(name)) throw unknownPlugin(name);
  return { routes: services.flatMap(routesOf), upstreams, consumers, plugins };
}

const unknownPlugin = (name) => new Error(`it has the plugins ${PLUGINS.join(", ")}, not "${name}"`);

/** With what they take from their service. */
const routesOf = ({ routes = [], host, port, url }) =>
  routes.map(({ strip_path = true, preserve_host = false, paths, name, plugins = [] }) => ({
    ...{ name, paths, plugins, strip: strip_path, keepsHost: preserve_host },
    service: url ? new URL(url).hostname : host,
    port: (url ? Number(new URL(url).port) : port) || 80,
  }));

module.exports = { entitiesOf };
