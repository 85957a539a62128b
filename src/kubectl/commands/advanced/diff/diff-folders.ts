import { randomInt } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toYaml } from "../../../../schema/yaml/yaml.ts";

/** Two folders of this machine, with a file for each object as it is, and as it would be. */
export class DiffFolders implements AsyncDisposable {
  readonly live: string;
  readonly merged: string;

  private constructor(live: string, merged: string) {
    this.live = live;
    this.merged = merged;
  }

  static async open(env: Readonly<Record<string, string | undefined>>): Promise<DiffFolders> {
    const root = env.TMPDIR || tmpdir();
    const folder = (name: string): string => join(root, `${name}-${randomInt(2 ** 32)}`);
    const folders = new DiffFolders(folder("LIVE"), folder("MERGED"));
    await mkdir(folders.live, { mode: 0o700 });
    await mkdir(folders.merged, { mode: 0o700 });
    return folders;
  }

  /** Writes an object as YAML; nothing for undefined. */
  async write(which: "live" | "merged", name: string, object: unknown): Promise<void> {
    const text = object === undefined ? "" : toYaml(object);
    await writeFile(join(this[which], name), text, { mode: 0o700 });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const folder of [this.live, this.merged])
      await rm(folder, { recursive: true, force: true });
  }
}
