import { spawnSync } from "node:child_process";
import { lstat, mkdtemp, readdir, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { requires, testWith } from "../../../../test/requires.ts";
import { killedPod, openVersion, useVolumesAndDie } from "./killed-volumes.test-support.ts";
import { mountsBelow } from "./mounts.ts";
import { filesIn } from "./volumes.test-support.ts";

testWith(requires("root"))(
  "volumes of a process that was killed are complete or gone",
  async () => {
    const root = await realpath(await mkdtemp(join(tmpdir(), "wherry-killed-volumes-")));
    onTestFinished(async () => {
      for (const { mountpoint } of await mountsBelow(root)) spawnSync("umount", [mountpoint]);
      spawnSync("rm", ["-rf", "--one-file-system", root]);
    });
    const { uid = "" } = killedPod.metadata;
    const [container] = killedPod.spec.containers ?? [];
    if (!container) throw new Error("no container");
    for (let kill = 0; kill < 8; kill++) {
      expect(await useVolumesAndDie(root, 30 + kill * 17)).toBe("SIGKILL");
      const volumes = await openVersion(root, () => -1);
      if (kill % 2 === 0) {
        await volumes.setUp(killedPod, { isStarting: true });
        const request = { env: [], canBeRecursivelyReadOnly: true };
        const [e, , m, s] = (await volumes.mounts(killedPod, container, request)).map(
          ({ hostPath }) => hostPath,
        );
        expect((await lstat(e ?? "")).mode & 0o7777).toBe(0o2777);
        const file = (mode: string) => [mode, "0:2000", "-1"];
        const all = (mode: string) => ({ a: file(mode), b: file(mode), c: file(mode) });
        expect(await filesIn(m ?? "")).toEqual(all("644"));
        expect(await filesIn(s ?? "")).toEqual(all("640"));
        expect(await readdir(s ?? "")).toHaveLength(5);
      }
      await volumes.tearDown(uid);
      expect(await volumes.podUids()).toEqual([]);
      expect(await readdir(join(root, "pods")).catch(() => [])).toEqual([]);
      await volumes.close();
      expect(await mountsBelow(root)).toEqual([]);
    }
  },
);
