const { rmSync } = require("node:fs");

afterAll(() => rmSync(process.env.XDG_STATE_HOME, { recursive: true, force: true }));
