import {
  fault,
  FaultError,
  listed,
  reference,
  referencesIn,
  type GatewaySite,
  type Values,
} from "@gatebench/core/contract";

/**
 * Puts in what a person's own configuration text says of its site, where a host's values go too: `<gatebench:workers>`,
 * `<gatebench:port.entry>` and every other port by name, `<gatebench:upstream-1>` (host and port), `upstream-1.host`,
 * `upstream-1.port`, `upstream-2` and so on, `authorizer.host` and `authorizer.port` where the scenario has it ask one. References to values that nobody knows yet stay as they are.
 */
export function withSite(text: string, site: GatewaySite): string {
  const values = siteValues(site);
  const unknown = referencesIn(text).filter((name) => ofSite.test(name) && values[name] === undefined);
  if (unknown.length > 0) throw new FaultError(unknown.map((name) => unknownOfSite(name, values)));
  return Object.entries(values).reduce(
    (filled, [name, value]) => filled.replaceAll(reference(name), () => value),
    text,
  );
}

/** The same for every file. */
export const filesWithSite = (files: Values, site: GatewaySite): Values =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [path, withSite(text, site)]));

const ofSite = /^(workers|port\..*|upstream-.*|authorizer\.(host|port))$/;

function siteValues({ workers, ports, upstreams, authorizer }: GatewaySite): Values {
  const entries = [
    ["workers", workers],
    ...Object.entries(ports).map(([name, port]) => [`port.${name}`, port]),
    ...upstreams.flatMap(({ host, port }, index) => [
      [`upstream-${index + 1}`, `${host}:${port}`],
      [`upstream-${index + 1}.host`, host],
      [`upstream-${index + 1}.port`, port],
    ]),
    ...Object.entries({ ...authorizer }).map(([name, value]) => [`authorizer.${name}`, value]),
  ];
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)])) as Values;
}

const unknownOfSite = (name: string, values: Values) =>
  fault(
    "unknown-reference",
    `${reference(name)} in a gateway's own configuration stands for nothing in this scenario. Known: ${listed(Object.keys(values))}. Correct the name, or declare what it means.`,
  );
