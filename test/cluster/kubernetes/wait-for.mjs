/** What the annotation pulumi.com/waitFor asks for: condition=TYPE[=STATUS], jsonpath={.a.b}[=VALUE], or a JSON list of these. */

/** @param {string} text @returns {import("./rules.mjs").Rule} */
export function waitForRule(text) {
  const checks = expressions(text).map(checkOf);
  return (object) => {
    const missing = checks.filter(({ holds }) => !holds(object)).map(({ said }) => `Waiting for ${said}`);
    return { ready: missing.length === 0, faults: missing };
  };
}

function expressions(text) {
  const list = text.trimStart().startsWith("[") ? JSON.parse(text) : [text];
  if (list.length === 0) throw new Error("at least one condition must be specified");
  return list;
}

function checkOf(said) {
  const [, how, what] = /^(condition|jsonpath)=(.*)$/s.exec(said) ?? [];
  if (how === "condition") return { said, holds: hasCondition(what) };
  if (how === "jsonpath") return { said, holds: hasValue(what) };
  throw new Error(`expected a "jsonpath=" or "condition=" prefix, got "${said}"`);
}

function hasCondition(what) {
  const [type, status = "True"] = what.split("=");
  const isIt = (one) => same(one.type, type) && same(one.status, status) && isCurrent(one);
  const isCurrent = ({ observedGeneration }, generation) =>
    observedGeneration === undefined || observedGeneration >= generation;
  return ({ status: live, metadata }) =>
    live?.conditions?.some((one) => isIt(one) && isCurrent(one, metadata.generation)) ?? false;
}

const same = (one, other) => String(one).toLowerCase() === other.toLowerCase();

/** Of JSONPath the part that people wait with: members, and elements by number. */
function hasValue(what) {
  const [, path, value] = /^\{?(\$?[^{}=]*)\}?(?:=(.*))?$/s.exec(what) ?? [];
  const steps = path?.replace(/^\$/, "").match(/\.[\w-]+|\[\d+\]|\['[^']+'\]/g);
  if (!steps || steps.join("") !== path.replace(/^\$/, ""))
    throw new Error(
      `the stand-in of the kubernetes plug-in follows .member, ['member'] and [0] only, not jsonpath=${what}`,
    );
  const names = steps.map((step) => step.replaceAll(/^\.|^\['?|'?\]$/g, ""));
  return (object) => {
    const found = names.reduce((part, name) => part?.[name], object);
    return value === undefined ? found !== undefined : String(found) === value;
  };
}
