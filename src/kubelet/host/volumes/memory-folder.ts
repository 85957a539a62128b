import { mkdir, readdir, rmdir } from "node:fs/promises";
import { coalesceCalls } from "../../../base/coalesce-calls.ts";
import { mount, mountAt, unmountBelow } from "./mounts.ts";

/** The tmpfs of all volumes whose content must not be on disk. */
export interface MemoryFolder {
  /** Mounts it, unless it is mounted; resolves with whether it is never swapped out. */
  ready(): Promise<MemoryMedium>;
  /** Unmounts it if no volume is left. */
  close(): Promise<void>;
}

export interface MemoryMedium {
  /** Whether this kernel can keep a tmpfs out of the swap. */
  readonly noSwap: boolean;
}

export function memoryFolder(path: string): MemoryFolder {
  let known: MemoryMedium | undefined;
  const find = coalesceCalls(async (): Promise<MemoryMedium> => {
    await mkdir(path, { recursive: true, mode: 0o700 });
    const noSwap = (await isMounted(path)) ?? (await mountNew(path));
    known = { noSwap };
    return known;
  });
  return {
    ready: async () => known ?? (await find()),
    async close() {
      known = undefined;
      if (!(await mountAt(path)) || (await readdir(path)).length > 0) return;
      await unmountBelow(path);
      await rmdir(path);
    },
  };
}

/** Whether the swap is off for what is mounted; undefined if nothing is. */
async function isMounted(path: string): Promise<boolean | undefined> {
  const found = await mountAt(path);
  return found?.type === "tmpfs" ? found.superOptions.includes("noswap") : undefined;
}

/** Kernels before 6.4 do not know `noswap`. */
async function mountNew(path: string): Promise<boolean> {
  const request = { type: "tmpfs", source: "tmpfs" };
  const options = ["mode=0700", "nosuid", "nodev"];
  try {
    await mount(path, { ...request, options: [...options, "noswap"] });
    return true;
  } catch {
    await mount(path, { ...request, options });
    return false;
  }
}
