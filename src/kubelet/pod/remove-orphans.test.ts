import { expect, test } from "vitest";
import { noLog } from "../../base/log.ts";
import type { RuntimeService } from "../../cri/runtime-service.ts";
import type { PodHost } from "./pod-host.ts";
import { removeOrphans } from "./remove-orphans.ts";

test("removeOrphans: one that cannot be removed keeps its volumes, and the others go", async () => {
  const sandboxes = new Map(["known", "busy", "gone"].map((uid) => [`of-${uid}`, uid]));
  const folders = new Set([...sandboxes.values(), "files"]);
  const runtime = {
    listPodSandboxes: async () => [...sandboxes].map(([id, uid]) => ({ id, metadata: { uid } })),
    listContainers: async () => [],
    async removePodSandbox(id: string) {
      if (id === "of-busy") throw new Error("a mount is busy");
      sandboxes.delete(id);
    },
  } as unknown as RuntimeService;
  const host = {
    podUids: async () => [...folders],
    remove: async (uid: string) => void folders.delete(uid),
  } as unknown as PodHost;
  const removed = removeOrphans((uid) => uid === "known", { runtime, host, log: noLog });
  await expect(removed).rejects.toThrow("a mount is busy");
  expect([...folders]).toEqual(["known", "busy"]);
  expect([...sandboxes.values()]).toEqual(["known", "busy"]);
});
