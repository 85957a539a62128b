import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createPodHost } from "./create-pod-host.ts";

test("createPodHost: two that remove a pod do not disturb each other", async () => {
  const rootDir = await mkdtemp(join(tmpdir(), "pod-host-"));
  onTestFinished(() => rm(rootDir, { recursive: true, force: true }));
  const told: string[] = [];
  const tearDown = async (uid: string): Promise<void> => {
    told.push(`begin ${uid}`);
    await new Promise((resolve) => setImmediate(resolve));
    told.push(`end ${uid}`);
  };
  const host = createPodHost({
    ...{
      rootDir,
      volumes: { tearDown } as never,
      settings: () => ({ podLogsDir: rootDir }) as never,
    },
    ...{ events: () => undefined, node: () => undefined, lookups: async () => ({}) as never },
  });
  await Promise.all([host.remove("a"), host.tearDown({ metadata: { uid: "a" } } as never)]);
  expect(told).toEqual(["begin a", "end a", "begin a", "end a"]);
});

test("createPodHost: a pod whose folders cannot be made says so", async () => {
  const rootDir = await mkdtemp(join(tmpdir(), "pod-host-"));
  onTestFinished(() => rm(rootDir, { recursive: true, force: true }));
  await writeFile(join(rootDir, "pods"), "a file in their place");
  const host = createPodHost({
    ...{ rootDir, volumes: {} as never, settings: () => ({}) as never },
    ...{ events: () => undefined, node: () => undefined, lookups: async () => ({}) as never },
  });
  await expect(
    host.setUp({ metadata: { uid: "a" } } as never, { isStarting: true }),
  ).rejects.toMatchObject({
    reason: "FailedMakePodDataDirectories",
    message: expect.stringMatching(/^error making pod data directories: /),
  });
});
