import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { runScript } from "../../../test/project.ts";
import { diffIdOf, testTar } from "./layer-archive.test-support.ts";
import { openSnapshots } from "./open-snapshots.ts";

/** The layers that the process unpacks, large enough for a kill to hit in the middle. */
export const killedLayers: readonly Buffer[] = [1, 2, 3].map((layer) =>
  testTar([
    ...Array.from({ length: 60 }, (_, n) => ({
      name: `layer${layer}/${n}`,
      data: "x".repeat(5000),
    })),
    { name: `complete${layer}`, data: "complete" },
  ]),
);

/** Makes, mounts and removes snapshots in a process that is killed after some time; resolves with the signal. */
export async function useSnapshotsAndDie(root: string, afterMs: number): Promise<unknown> {
  const program = join(import.meta.dirname, "killed-snapshots.test-support.ts");
  const args = [runScript, program, root, String(afterMs)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
  const [, signal] = await once(child, "exit");
  return signal;
}

async function use(root: string): Promise<void> {
  const snapshots = await openSnapshots({ root });
  for (let round = 0; ; round++) {
    const unpacked = killedLayers.map((tar) =>
      snapshots.unpackLayer(diffIdOf(tar), Readable.from([tar])),
    );
    await Promise.all(unpacked);
    for (let n = 0; n < 10; n++) {
      const id = `s${process.pid}-${round}-${n}`;
      await snapshots.create(id, killedLayers.map(diffIdOf));
      await writeFile(join(await snapshots.mount(id), "written"), id);
      for (const other of (await snapshots.list()).slice(0, n % 3)) await snapshots.remove(other);
    }
    for (const id of await snapshots.list()) await snapshots.remove(id);
    await snapshots.removeLayer(diffIdOf(killedLayers[round % 3] ?? Buffer.alloc(0)));
  }
}

// Only in the child process, not where this file is imported.
if (process.argv[1]?.includes("killed-snapshots.test-support")) {
  const [, , root = "", afterMs] = process.argv;
  setTimeout(() => process.kill(process.pid, "SIGKILL"), Number(afterMs));
  await use(root);
}
