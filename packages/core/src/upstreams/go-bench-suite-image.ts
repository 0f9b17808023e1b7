/** Nobody publishes another tag than `latest`, which was built once, from the commit of 2021-02-03. */
export const image = { version: "latest", of: (version: string) => `mangomm/go-bench-suite:${version}` };
