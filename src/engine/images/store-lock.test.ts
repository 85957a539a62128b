import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { identifyProcess } from "../../platform/process-identity.ts";
import { testFolder } from "./images.test-support.ts";
import { lockStore } from "./store-lock.ts";

test("lockStore: a second lock is refused until the first is released", async () => {
  const root = testFolder();
  const unlock = await lockStore(root);
  await expect(lockStore(root)).rejects.toMatchObject({
    name: "ImageStoreInUse",
    holder: { pid: process.pid },
  });
  await unlock();
  await (await lockStore(root))();
  expect(readdirSync(join(root, "locks"))).toEqual([]);
});

test.each([
  ["of a process that has ended", () => JSON.stringify({ pid: endedPid(), startedAt: "x" })],
  [
    "of an earlier process with our pid",
    () => JSON.stringify({ pid: process.pid, startedAt: "x" }),
  ],
  ["that is damaged", () => "{"],
])("lockStore: a lock %s is taken over", async (_, content) => {
  const root = testFolder();
  mkdirSync(join(root, "locks"));
  writeFileSync(join(root, "locks", "left"), content());
  await (await lockStore(root))();
  expect(readdirSync(join(root, "locks"))).toEqual([]);
});

test("lockStore: of many that take over at once, at most one succeeds", async () => {
  const root = testFolder();
  mkdirSync(join(root, "locks"));
  writeFileSync(join(root, "locks", "left"), JSON.stringify({ pid: endedPid(), startedAt: "x" }));
  const all = await Promise.allSettled(Array.from({ length: 20 }, () => lockStore(root)));
  const held = all.filter((one) => one.status === "fulfilled");
  expect(held.length).toBeLessThanOrEqual(1);
  expect(readdirSync(join(root, "locks"))).toHaveLength(held.length);
  for (const { value: unlock } of held) await unlock();
  await (await lockStore(root))();
});

/** The pid of a process that has ended. */
function endedPid(): number {
  const { pid } = spawnSync("true");
  return identifyProcess(pid) === undefined ? pid : endedPid();
}
