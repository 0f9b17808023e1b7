import { identify, isAlive, sessionOf } from "./process";

test("a container that has ended is no process, and nobody else is taken for it", () => {
  const ended = identify(0); // Docker's number for it, and the session of the kernel's own threads.
  expect(isAlive(ended)).toBe(false);
  expect(sessionOf(ended)).toEqual([]);
});
