import { expect, test } from "vitest";
import { type Command, command, type Output } from "./command.ts";
import { boolFlag, durationFlag, intFlag } from "./flag.ts";
import { UsageError } from "./parse-flags.ts";
import { runProgram } from "./run-program.ts";

class Text implements Output {
  text = "";
  write(text: string): void {
    this.text += text;
  }
}

const globalFlags = { verbose: boolFlag({ short: "v", usage: "Say more" }) };

const serve = command({
  name: "serve",
  short: "Serve files",
  arguments: "[FOLDER]",
  arity: { max: 1 },
  flags: {
    port: intFlag({ short: "p", default: 80, usage: "Listen on this port" }),
    timeout: durationFlag({ default: 1000, usage: "Give up after this time" }),
    old: boolFlag({ deprecated: "it does nothing", usage: "Do nothing" }),
  },
  run({ flags, inherited, given, args, streams }) {
    const { port, timeout } = flags;
    const { verbose } = inherited(globalFlags);
    streams.stdout.write(JSON.stringify({ port, timeout, verbose, args, given: [...given] }));
    return Promise.resolve(undefined);
  },
});

const root = command({
  name: "files",
  short: "Work with files",
  persistentFlags: globalFlags,
  commands: [
    { name: "serve", short: "Serve files", load: () => Promise.resolve(serve) },
    { name: "exit", short: "Exit", run: () => Promise.resolve(7) },
    {
      name: "fail",
      short: "Fail",
      run: () => Promise.reject(new Error("cannot listen", { cause: new Error("port in use") })),
    },
    { name: "refuse", short: "Refuse", run: () => Promise.reject(new UsageError("not so")) },
    {
      name: "refuse-all",
      short: "Refuse",
      run: () => Promise.reject(new UsageError(["not so", "nor so"])),
    },
  ],
});

async function run(...args: readonly string[]) {
  const [stdout, stderr] = [new Text(), new Text()];
  const signal = new AbortController().signal;
  const program = {
    root: root as Command,
    version: "files 1.0",
    streams: { stdout, stderr },
    signal,
  };
  const code = await runProgram(program, args);
  return { code, stdout: stdout.text, stderr: stderr.text };
}

test.each([
  [["serve"], { port: 80, timeout: 1000, verbose: false, args: [], given: [] }],
  [
    ["serve", "-p", "8080", "x"],
    { port: 8080, timeout: 1000, verbose: false, args: ["x"], given: ["port"] },
  ],
  [
    ["-v", "serve", "--timeout=1m"],
    { port: 80, timeout: 60_000, verbose: true, args: [], given: ["verbose", "timeout"] },
  ],
  [
    ["serve", "x", "-v"],
    { port: 80, timeout: 1000, verbose: true, args: ["x"], given: ["verbose"] },
  ],
  [["serve", "--", "-v"], { port: 80, timeout: 1000, verbose: false, args: ["-v"], given: [] }],
])("runProgram: %j reaches its command", async (args, expected) => {
  const { code, stdout, stderr } = await run(...args);
  expect([code, JSON.parse(stdout), stderr]).toEqual([0, expected, ""]);
});

const seeServe = "See 'files serve --help' for usage.\n";

test.each([
  [["serve", "--prot=1"], `Error: unknown flag: --prot\nDid you mean --port?\n${seeServe}`],
  [["serve", "-p"], `Error: flag needs an argument: 'p' in -p\n${seeServe}`],
  [["serve", "a", "b"], `Error: accepts at most 1 arg(s), received 2\n${seeServe}`],
  [["serve", "--version"], `Error: unknown flag: --version\n${seeServe}`],
  [
    ["exit", "a", "b"],
    'Error: "files exit" does not take any arguments, got ["a" "b"]\nSee \'files exit --help\' for usage.\n',
  ],
  [
    ["sevre"],
    'Error: unknown command "sevre" for "files"\nDid you mean serve?\nSee \'files --help\' for usage.\n',
  ],
  [["--port=1", "serve"], "Error: unknown flag: --port\nSee 'files --help' for usage.\n"],
  [["refuse"], "Error: not so\nSee 'files refuse --help' for usage.\n"],
  [["refuse-all"], "Error: not so\nError: nor so\nSee 'files refuse-all --help' for usage.\n"],
])("runProgram: rejects %j with exit code 2", async (args, stderr) => {
  expect(await run(...args)).toEqual({ code: 2, stdout: "", stderr });
});

test("runProgram: a command decides its exit code", async () => {
  expect((await run("exit")).code).toBe(7);
});

test("runProgram: an error of a command exits with code 1, and its causes are printed", async () => {
  expect(await run("fail")).toEqual({
    code: 1,
    stdout: "",
    stderr: "Error: cannot listen: port in use\n",
  });
});

test("runProgram: --version prints the version", async () => {
  expect(await run("--version")).toEqual({ code: 0, stdout: "files 1.0\n", stderr: "" });
});

test.each([
  [[], "Work with files.", "  -v, --verbose   Say more"],
  [["--help"], "Work with files.", "      --version   Show the version"],
  [["serve", "-h"], "Serve files.", "  -v, --verbose   Say more"],
  [
    ["serve", "--help", "a", "b"],
    "Serve files.",
    "  -p, --port int           Listen on this port (default 80)",
  ],
])("runProgram: %j prints help", async (args, first, line) => {
  const { code, stdout, stderr } = await run(...args);
  const lines = stdout.split("\n");
  expect([code, lines[0], lines.includes(line), stderr]).toEqual([0, first, true, ""]);
});

test("runProgram: a deprecated flag works and prints a warning", async () => {
  const { code, stderr } = await run("serve", "--old");
  expect([code, stderr]).toEqual([0, "Flag --old has been deprecated, it does nothing\n"]);
});
