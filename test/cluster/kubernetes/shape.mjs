/** Objects compared: what the cluster has of what was asked for, in the words the API server would use. */

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * What the API server has, cut to what was asked for: what it fills in by itself is no change.
 * @param {any} live @param {any} asked
 */
export function pruned(live, asked) {
  if (Array.isArray(live) && Array.isArray(asked))
    return live.map((one, index) => (index < asked.length ? pruned(one, asked[index]) : one));
  if (!isObject(live) || !isObject(asked)) return live;
  const names = Object.keys(asked).filter((name) => name in live);
  return Object.fromEntries(names.map((name) => [name, pruned(live[name], asked[name])]));
}

/**
 * Two ways to write one thing made one: a Secret's stringData is its data in base64, 1000m is 1, and nothing is as good as
 * an empty list. The official plug-in reads an object into Kubernetes' own types and writes it out again.
 */
export function normalized(object) {
  const plain = object.kind === "Secret" && object.apiVersion === "v1" ? withData(object) : object;
  return isBuiltIn(object) ? (meant(plain) ?? {}) : plain;
}

const isBuiltIn = ({ apiVersion = "" }) => !/^[^/]*\..*\//.test(apiVersion) || apiVersion.includes(".k8s.io/");

function withData({ stringData = {}, ...secret }) {
  const encoded = Object.entries(stringData).map(([name, text]) => [
    name,
    Buffer.from(String(text)).toString("base64"),
  ]);
  return { ...secret, data: { ...secret.data, ...Object.fromEntries(encoded) } };
}

function meant(value, isQuantity = false) {
  if (Array.isArray(value)) return value.length > 0 ? value.map((one) => meant(one) ?? {}) : undefined;
  if (!isObject(value)) return isQuantity ? quantity(value) : value === "" || value === null ? undefined : value;
  const members = Object.entries(value).map(([name, one]) => [name, meant(one, isQuantity || QUANTITIES.has(name))]);
  const kept = members.filter(([, one]) => one !== undefined);
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}

/** Maps of quantities, and quantities themselves. */
const QUANTITIES = new Set(["limits", "requests", "capacity", "hard", "sizeLimit", "overhead"]);
const BINARY = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const DECIMAL = { n: 1e-9, u: 1e-6, m: 1e-3, "": 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18 };

/** A number for quantities of one size however written: 0.5 and 500m, 1024Mi and 1Gi. */
function quantity(value) {
  const [, digits, unit] = /^([+-]?[\d.]+(?:[eE][+-]?\d+)?)([A-Za-z]*)$/.exec(String(value)) ?? [];
  const factor = BINARY.indexOf(unit) > 0 ? 1024 ** BINARY.indexOf(unit) : DECIMAL[unit];
  return digits === undefined || factor === undefined ? value : Number((Number(digits) * factor).toPrecision(12));
}
