import { readFile } from "node:fs/promises";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { ensurePrivateDir } from "../../platform/files.ts";
import { MemoryStore } from "../../store/memory/memory-store.ts";
import { type OpenedStore, openStore } from "../opening/open-store.ts";

/** Where a server keeps its objects; what is in memory ends with the process. */
export type ExtensionStore =
  | "memory"
  /** A directory of its own. */
  | { readonly directory: string }
  | {
      /** The URLs of the members of an etcd, which several servers may share. */
      readonly etcd: readonly string[];
      /** Below which the keys are; `/registry` if not given. */
      readonly prefix?: string | undefined;
      /** Files in PEM form. */
      readonly caFile?: string | undefined;
      readonly certFile?: string | undefined;
      readonly keyFile?: string | undefined;
    };

/** Opens the store of a server of other APIs. */
export async function openExtensionStore(
  choice: ExtensionStore,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<OpenedStore> {
  if (choice === "memory") {
    const store = new MemoryStore(clock);
    return { store, bytes: () => 0, isShared: false, close: () => store.close() };
  }
  if ("directory" in choice) {
    await ensurePrivateDir(choice.directory);
    return openStore(choice.directory, { etcd: undefined, quotaBytes: undefined, log });
  }
  const { etcd: servers, prefix = "/registry", caFile, certFile, keyFile } = choice;
  const [ca, cert, key] = await Promise.all([caFile, certFile, keyFile].map(readIfGiven));
  const tls = {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  };
  return openStore("", {
    etcd: {
      servers,
      prefix,
      ...(Object.keys(tls).length > 0 && { tls }),
      compactionIntervalMs: 300_000,
      sizeIntervalMs: 30_000,
      leaseReuseSeconds: 60,
    },
    quotaBytes: undefined,
    log,
  });
}

const readIfGiven = async (path: string | undefined): Promise<string | undefined> =>
  path === undefined ? undefined : readFile(path, "utf8");
