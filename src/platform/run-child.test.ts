import { expect, test } from "vitest";
import { mustRun, runChild } from "./run-child.ts";

const script = (text: string) => ["-e", text];

test("runChild: resolves with the exit code and the output of a program", async () => {
  const program = "process.stdin.pipe(process.stdout); console.error('why'); process.exitCode = 3";
  expect(await runChild(process.execPath, script(program), { input: "typed" })).toEqual({
    code: 3,
    stdout: "typed",
    stderr: "why\n",
  });
});

test("runChild: a signal counts as 128 and its number", async () => {
  const { code } = await runChild(process.execPath, script("process.kill(process.pid, 'SIGKILL')"));
  expect(code).toBe(137);
});

test("runChild: rejects when the program does not exist", async () => {
  await expect(runChild("no-such-program", [])).rejects.toThrow("cannot run no-such-program");
});

test("runChild: aborting kills the program", async () => {
  const stop = new AbortController();
  const running = runChild(process.execPath, script("setInterval(() => {}, 1000)"), {
    signal: stop.signal,
  });
  stop.abort();
  await expect(running).rejects.toMatchObject({ name: "AbortError" });
});

test("mustRun: rejects with what the program printed as its error", async () => {
  await expect(mustRun(process.execPath, script("throw new Error('broken')"))).rejects.toThrow(
    /^.*node -e: .*broken/s,
  );
});
