const { mkdtempSync, rmSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join } = require("node:path");
const { TestEnvironment } = require("jest-environment-node");

const unavailable = 14; // gRPC: nobody answers any more.
/** An engine that has failed ends what its program still asks of it; one that is killed does not answer at all. */
const isEngineGone = ({ code, message = "" } = {}) =>
  (code === unavailable && /Resource monitor is terminating/.test(message)) ||
  /Connection dropped|resource monitor shut down/.test(message);

/** `npm test` has checked the types of all programs: the engine only compiles those it runs. */
const compileOnly = { PULUMI_NODEJS_TRANSPILE_ONLY: "true" };

/**
 * Every test file has a state folder of its own, so that what it leaves behind can be told from what others do. It goes
 * after the file's own last hook: without it, a destroy would not find what it is to end.
 */
module.exports = class extends TestEnvironment {
  async setup() {
    await super.setup();
    this.stateFolder = mkdtempSync(join(tmpdir(), "gatebench-e2e-"));
    Object.assign(this.global.process.env, compileOnly, { XDG_STATE_HOME: this.stateFolder });
  }

  /**
   * An engine that fails or that a test kills leaves calls of its program unanswered, and nobody waits for some of them any more: they
   * are the kill itself, not a fault beside it. Whoever waits for the program is told of it.
   */
  handleTestEvent({ name, error, promise }, { unhandledRejectionErrorByPromiseTarget: kept }) {
    if (name === "error" && isEngineGone(error)) kept.get(promise)?.delete(promise);
  }

  async teardown() {
    rmSync(this.stateFolder, { recursive: true, force: true });
    await super.teardown();
  }
};
