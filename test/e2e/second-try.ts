/**
 * Nobody looks on where CI is set, and whoever else uses the machine may stop it for seconds: a test that fails is tried once
 * more. What it failed at stands in the log either way.
 */
if (process.env.CI) jest.retryTimes(1, { logErrorsBeforeRetry: true, retryImmediately: true });
