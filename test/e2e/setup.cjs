const { mkdtempSync, rmSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join } = require("node:path");

// Every test file has a state folder of its own, so that what it leaves behind can be told from what others do.
const folder = mkdtempSync(join(tmpdir(), "gatebench-e2e-"));
process.env.XDG_STATE_HOME = folder;
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
