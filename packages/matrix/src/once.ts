/** A function that makes each thing once, by what it is made from; keys are compared as those of a Map are. */
export function once<From extends readonly unknown[], T>(
  make: (...from: From) => T,
  keyOf: (...from: From) => unknown,
): (...from: From) => T {
  const made = new Map<unknown, T>();
  return (...from) => {
    const key = keyOf(...from);
    const found = made.has(key) ? (made.get(key) as T) : make(...from);
    made.set(key, found);
    return found;
  };
}
