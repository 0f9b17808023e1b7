const { writeFileSync } = require("node:fs");

/** A reporter of jest: the paths of the files in which something failed, a line each, in the file `GATEBENCH_FAILED_FILES`. */
module.exports = class {
  onRunComplete(_contexts, { testResults }) {
    const failed = testResults.filter(({ numFailingTests, testExecError }) => numFailingTests > 0 || testExecError);
    writeFileSync(process.env.GATEBENCH_FAILED_FILES, failed.map(({ testFilePath }) => `${testFilePath}\n`).join(""));
  }
};
