const { mkdtempSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join } = require("node:path");

// Every test file has a state folder of its own, so that what it leaves behind can be told from what others do.
process.env.XDG_STATE_HOME = mkdtempSync(join(tmpdir(), "gatebench-e2e-"));
