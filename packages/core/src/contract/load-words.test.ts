import { z } from "zod";
import { loadOfWords, loadWords } from "./load-words";

const said = (words: object) =>
  loadOfWords(z.strictObject(loadWords).parse(words), { duration: "30s", connection: "keep-alive" });

/** As a command line and a stack's configuration give them: texts. */
test.each([
  [{}, { model: "closed", connections: 32, duration: "30s" }],
  [
    { connections: "50", pacePerConnection: "1500" },
    { model: "closed", connections: 50, pacePerConnection: 1500, duration: "30s" },
  ],
  [{ ratePerS: "1000" }, { model: "open", ratePerS: 1000, maxInFlight: 32, duration: "30s" }],
  [
    { ratePerS: "1000", maxInFlight: "5" },
    { model: "open", ratePerS: 1000, maxInFlight: 5, duration: "30s" },
  ],
  [
    { users: "2000", spawnPerS: "200", think: "1s-3s" },
    { model: "users", users: 2000, spawnPerS: 200, think: { min: "1s", max: "3s" }, duration: "30s" },
  ],
  [
    { users: "5", think: "500ms" },
    { model: "users", users: 5, think: { min: "500ms", max: "500ms" }, duration: "30s" },
  ],
  [
    { users: "50", iterations: "100", startWithin: "1s", spread: "normal" },
    { model: "iterations", users: 50, perUser: 100, startWithin: "1s", spread: "normal" },
  ],
])("the words %j are a load", (words, load) => {
  expect(said(words)).toEqual({ ...load, connection: "keep-alive" });
});

test("what was not said is not in the load, not even as undefined", () => {
  expect(Object.keys(said({ users: 5 })).sort()).toEqual(["connection", "duration", "model", "users"]);
});
