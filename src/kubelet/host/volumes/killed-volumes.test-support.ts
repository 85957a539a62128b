import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { runScript } from "../../../../test/project.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { noLog } from "../../../base/log.ts";
import { realClock } from "../../../platform/real-clock.ts";
import { openPodVolumes, type PodVolumes } from "./pod-volumes.ts";

/** A pod with volumes on disk and in memory, one of which is mounted in part. */
export const killedPod = {
  metadata: { name: "p", namespace: "default", uid: "killed-pod" },
  spec: {
    containers: [
      {
        name: "c",
        volumeMounts: [
          { name: "e", mountPath: "/e" },
          { name: "r", mountPath: "/r" },
          { name: "m", mountPath: "/m" },
          { name: "s", mountPath: "/s" },
          { name: "e", mountPath: "/part", subPath: "some/part" },
        ],
      },
    ],
    volumes: [
      { name: "e", emptyDir: {} },
      { name: "r", emptyDir: { medium: "Memory", sizeLimit: "1Mi" } },
      { name: "m", configMap: { name: "m", defaultMode: 0o644 } },
      { name: "s", secret: { secretName: "s", defaultMode: 0o600 } },
    ],
    securityContext: { fsGroup: 2000 },
  },
} as unknown as Pod;

/** Volumes whose config map and secret have files with the number of a version. */
export function openVersion(rootDir: string, version: () => number): Promise<PodVolumes> {
  const data = async () => {
    const bytes = Buffer.from(String(version()));
    return Object.fromEntries(["a", "b", "c"].map((key) => [key, bytes]));
  };
  const none = async () => undefined;
  return openPodVolumes({
    ...{ rootDir, client: {} as never, clock: realClock, log: noLog },
    random: { next: Math.random },
    references: {
      ...{ configMapBytes: data, secretBytes: data, configMap: none, secret: none },
      ...{ pullSecret: none, retain: () => {}, release: () => {}, close: () => {} },
    },
    ...{ node: () => undefined, record: () => {}, changed: () => {} },
  });
}

/** Sets up, updates and removes volumes in a process that is killed after some time; resolves with the signal. */
export async function useVolumesAndDie(root: string, afterMs: number): Promise<unknown> {
  const program = join(import.meta.dirname, "killed-volumes.test-support.ts");
  const args = [runScript, program, root, String(afterMs)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
  const [, signal] = await once(child, "exit");
  return signal;
}

async function use(root: string): Promise<void> {
  let version = 0;
  const volumes = await openVersion(root, () => version);
  const [container] = killedPod.spec.containers ?? [];
  if (!container) return;
  for (;;) {
    await volumes.setUp(killedPod, { isStarting: true });
    await volumes.mounts(killedPod, container, { env: [], canBeRecursivelyReadOnly: true });
    for (let update = 0; update < 5; update++) {
      version++;
      await volumes.setUp(killedPod, { isStarting: false });
    }
    await volumes.tearDown(killedPod.metadata.uid ?? "");
  }
}

// Only in the child process, not where this file is imported.
if (process.argv[1]?.includes("killed-volumes.test-support")) {
  const [, , root = "", afterMs] = process.argv;
  setTimeout(() => process.kill(process.pid, "SIGKILL"), Number(afterMs));
  await use(root);
}
