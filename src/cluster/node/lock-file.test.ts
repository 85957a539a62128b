import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { realClock } from "../../platform/real-clock.ts";
import { runChild } from "../../platform/run-child.ts";
import { isAwaited, lockFile } from "./lock-file.ts";

async function lockedFile() {
  const folder = await mkdtemp(join(tmpdir(), "lock-file-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, "lock");
  const lock = await lockFile(path, realClock);
  onTestFinished(() => lock.close());
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  return { path, lock, contended: lock.contended(stop.signal) };
}

test("lockFile: another process that waits for the lock is noticed, and gets it afterwards", async () => {
  const { path, lock, contended } = await lockedFile();
  expect((await runChild("flock", ["--nonblock", path, "true"])).code).toBe(1);
  const waiting = runChild("flock", [path, "echo", "mine"]);
  await contended;
  await lock.close();
  expect((await waiting).stdout).toBe("mine\n");
});

test("lockFile: a file that cannot be opened is an error", async () => {
  await expect(lockFile("/none/lock", realClock)).rejects.toThrow(
    'unable to acquire file lock on "/none/lock": ENOENT',
  );
});

test("isAwaited: lines with an arrow are processes that wait", () => {
  const held = "1: FLOCK  ADVISORY  WRITE 10 fe:00:77 0 EOF\n";
  const waits = "1: -> FLOCK  ADVISORY  WRITE 11 fe:00:77 0 EOF\n";
  expect([isAwaited(held, 77), isAwaited(held + waits, 77), isAwaited(held + waits, 7)]).toEqual([
    false,
    true,
    false,
  ]);
});
