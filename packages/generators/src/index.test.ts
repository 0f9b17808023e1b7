import { generatorAdapterFaults } from "@gatebench/core/contract";
import { generators } from ".";

test.each(Object.entries(generators))("%s is an adapter of that name", (name, factory) => {
  const adapter = factory();
  expect(adapter.name).toBe(name);
  expect(generatorAdapterFaults(adapter, name)).toEqual([]);
});
