import { randomUUID } from "node:crypto";
import { chmod, mkdir, open, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { DiscoveryCache } from "../client/discovery/discovery-cache.ts";

export interface DiscoveryFilesOptions {
  /** The server's URL: each server has a folder of its own. */
  readonly server: string;
  /** kubectl's cache directory; `$KUBECACHEDIR` or `~/.kube/cache` if not given. */
  readonly directory?: string | undefined;
  /** The lifetime of a file in milliseconds; six hours if not given. */
  readonly ttlMs?: number | undefined;
  /** The time, in milliseconds since the epoch. */
  readonly now?: (() => number) | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/**
 * A cache of discovery documents in kubectl's files, with kubectl's lifetime: both can read what the
 * other has written. Files that cannot be read count as missing, and failed writes are ignored.
 */
export function discoveryFiles(options: DiscoveryFilesOptions): DiscoveryCache {
  const { server, ttlMs = sixHours, now = Date.now, env = process.env } = options;
  const directory = options.directory || env.KUBECACHEDIR || join(homedir(), ".kube", "cache");
  const folder = join(directory, "discovery", folderName(server));
  return {
    async read(name) {
      const path = pathIn(folder, name);
      if (path === undefined) return undefined;
      try {
        return JSON.parse(await readRecent(path, now() - ttlMs)) as unknown;
      } catch {
        return undefined;
      }
    },

    async write(name, document) {
      const path = pathIn(folder, name);
      if (path === undefined) return;
      const draft = `${path}.${randomUUID()}`;
      try {
        await mkdir(dirname(path), { recursive: true, mode: 0o750 });
        await writeFile(draft, `${JSON.stringify(document)}\n`, { flag: "wx", mode: 0o600 });
        await chmod(draft, 0o660);
        // Atomically: another process may be reading or writing the file.
        await rename(draft, path);
      } catch {
        await rm(draft, { force: true }).catch(() => undefined);
      }
    },
  };
}

const sixHours = 6 * 60 * 60 * 1000;

/** The folder of a server: its address, with underscores for characters that some file systems reject. */
function folderName(server: string): string {
  const address = server.replace("https://", "").replace("http://", "");
  const safe = address.replaceAll(/[^(\w/.)]/g, "_");
  return safe.split("/").filter(isName).join("/");
}

/** The path of a document; undefined for names from the server that would lead out of the folder. */
function pathIn(folder: string, name: string): string | undefined {
  const parts = name.split("/");
  return parts.every((part) => isName(part) && /^[\w.-]+$/.test(part))
    ? join(folder, ...parts)
    : undefined;
}

const isName = (part: string): boolean => part !== "" && part !== "." && part !== "..";

/** The text of a file that was written after a time; throws if there is none. */
async function readRecent(path: string, after: number): Promise<string> {
  const file = await open(path, "r");
  try {
    // Use the opened file: the path may have been replaced meanwhile.
    const { mtimeMs } = await file.stat();
    if (mtimeMs < after) throw new Error("cache expired");
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}
