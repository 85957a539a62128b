import type { BigIntStats } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { coalesceCalls } from "../../../base/coalesce-calls.ts";
import { watchFolder } from "../../../platform/watch-folder.ts";

/** The sockets in a folder and its folders. A socket that was created anew has another identity. */
type Sockets = ReadonlyMap<string, SocketIdentity>;
export type SocketIdentity = string;

export interface SocketTree {
  /** Finds the sockets that exist now. */
  find(): Promise<Sockets>;
  close(): void;
}

/** Watches a folder and its folders. Hidden files and folders are skipped. */
export function watchSockets(root: string, changed: () => void): SocketTree {
  const watchers = new Map<string, { close(): void }>();
  let isClosed = false;
  const follow = (folder: string): void => {
    if (!watchers.has(folder) && !isClosed) watchers.set(folder, watchFolder(folder, changed));
  };
  const unfollow = (folder: string): void => {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  };

  const walk = async (folder: string, found: FoundTree): Promise<void> => {
    try {
      // Watching first: what is created after the folder was read causes another look.
      follow(folder);
      const entries = await readdir(folder, { withFileTypes: true });
      found.folders.add(folder);
      for (const entry of entries.filter(({ name }) => !name.startsWith("."))) {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) await walk(path, found);
        else await addSocket(path, found);
      }
    } catch {
      // The folder was removed meanwhile.
    }
  };
  return {
    find: coalesceCalls(async () => {
      const found: FoundTree = { sockets: new Map(), folders: new Set() };
      await walk(root, found);
      for (const folder of watchers.keys()) if (!found.folders.has(folder)) unfollow(folder);
      return found.sockets;
    }),
    close() {
      isClosed = true;
      for (const folder of [...watchers.keys()]) unfollow(folder);
    },
  };
}

interface FoundTree {
  readonly sockets: Map<string, SocketIdentity>;
  readonly folders: Set<string>;
}

async function addSocket(path: string, { sockets }: FoundTree): Promise<void> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  if (found?.isSocket()) sockets.set(path, identityOf(found));
}

/** Inodes are used again, so that the time of creation counts, too. Some file systems do not keep it. */
const identityOf = ({ dev, ino, birthtimeNs, ctimeNs }: BigIntStats): SocketIdentity =>
  `${dev}:${ino}:${birthtimeNs > 0n ? birthtimeNs : ctimeNs}`;
