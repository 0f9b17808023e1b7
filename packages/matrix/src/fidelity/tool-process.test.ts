import {
  cpusIn,
  differences,
  niceIn,
  readToolProcess,
  variables,
  withoutFolder,
  type ToolProcess,
} from "./tool-process";

const tool: ToolProcess = {
  argv: ["wrk", "-s", "/a/wrk.lua", "http://127.0.0.1:20001/"],
  environment: { PATH: "/usr/bin", HOME: "/root" },
  cpus: "0-3",
  nice: 0,
};

test("the same given, no difference", () => {
  expect(differences(tool, { ...tool })).toEqual([]);
});

test("each difference is a line that states both sides", () => {
  const byHand = { argv: ["wrk"], environment: { PATH: "/bin", LANG: "C" }, cpus: "0", nice: 5 };
  expect(differences({ ...tool, argv: ["wrk", "-t2"] }, byHand)).toEqual([
    'arguments: ["wrk","-t2"] under gatebench, ["wrk"] by hand',
    "variable HOME: /root under gatebench, none by hand",
    "variable LANG: none under gatebench, C by hand",
    "variable PATH: /usr/bin under gatebench, /bin by hand",
    "CPU set: 0-3 under gatebench, 0 by hand",
    "nice level: 0 under gatebench, 5 by hand",
  ]);
});

test("a file is the same file in whichever folder it lies", () => {
  expect(withoutFolder(tool, "/a").argv[2]).toBe("<gatebench:file.wrk.lua>");
  expect(withoutFolder(tool, "/b").argv[2]).toBe("/a/wrk.lua");
});

test("variables may hold the sign that ends their name", () => {
  expect(variables("PATH=/bin\0OPTIONS=a=b\0")).toEqual({ PATH: "/bin", OPTIONS: "a=b" });
});

test("the CPU set and the nice level, as the kernel writes them", () => {
  expect(cpusIn("Name:\twrk\nCpus_allowed:\t3\nCpus_allowed_list:\t0-1\n")).toBe("0-1");
  expect(niceIn("7 (a (b) c) S 1 7 7 0 -1 4194304 9 0 0 0 1 2 0 0 30 10 1 0 99 0 0")).toBe(10);
});

test("this process reads itself", () => {
  const self = readToolProcess(process.pid);
  expect(self?.argv.length).toBeGreaterThan(0);
  expect(self?.cpus).toMatch(/^\d/);
  expect(readToolProcess(2 ** 22)).toBeUndefined();
});
