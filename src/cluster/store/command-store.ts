import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { noLog } from "../../base/log.ts";
import type { CommandContext } from "../../cli/command.ts";
import { stringFlag, stringsFlag, type Values } from "../../cli/flag.ts";
import { UsageError } from "../../cli/parse-flags.ts";
import { realClock } from "../../platform/real-clock.ts";
import { encryptedStore } from "../../store/encryption/encrypted-store.ts";
import {
  type LmdbStore,
  type LmdbStoreOptions,
  openLmdbStore,
} from "../../store/lmdb/lmdb-store.ts";
import { type Store, StoreError } from "../../store/store.ts";
import { openEncryption } from "../encryption/open-encryption.ts";
import { readOwnKey } from "../encryption/own-key.ts";
import { checkDataDirectory } from "../opening/data-version.ts";
import { etcdTls } from "../opening/etcd-tls.ts";
import { openEtcd } from "../opening/open-etcd.ts";

/** The flags that name a store; all commands have them. */
export const storeFlags = {
  "data-dir": stringFlag({ usage: "the data `DIR` of a cluster or API server" }),
  "etcd-servers": stringsFlag({
    usage: "the `URL`s of the etcd servers that hold the store",
  }),
  "etcd-cafile": stringFlag({ usage: "the `FILE` with the CA certificate of the etcd servers" }),
  "etcd-certfile": stringFlag({ usage: "the `FILE` with the client certificate for etcd" }),
  "etcd-keyfile": stringFlag({
    usage: "the `FILE` with the private key of the client certificate",
  }),
  "etcd-prefix": stringFlag({ usage: "the prefix of all keys in etcd", default: "/registry" }),
  "encryption-provider-config": stringFlag({
    usage:
      "the `FILE` with the configuration of encryption; without it, the key in the data directory is used, if there is one",
  }),
};

export type StoreFlags = Values<typeof storeFlags>;

/**
 * Opens the store that the flags name for reading, also while a server runs; closes it after the work. Values are
 * decrypted if their keys are at hand.
 */
export const withStore = <T>(
  context: Pick<CommandContext, "inherited">,
  work: (store: Store) => Promise<T>,
): Promise<T> =>
  withRawStore(context, (store) => decrypting(store, context.inherited(storeFlags), work));

/** The same with values as they are stored. */
export function withRawStore<T>(
  { inherited }: Pick<CommandContext, "inherited">,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const flags = inherited(storeFlags);
  const open = async (): Promise<Store> => {
    const path = join(await dataDirectory(flags), "store");
    return openLmdbStore({ path, clock: realClock, readOnly: true });
  };
  return closing(isInEtcd(flags) ? openInEtcd(flags) : open(), work);
}

/** Works on a store whose values are encrypted and decrypted as the flags say. */
export async function decrypting<T>(
  store: Store,
  flags: StoreFlags,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const path = flags["encryption-provider-config"];
  const opened = await openEncryption({
    file: path === "" ? undefined : { path, reloads: false },
    // Servers on an etcd share their keys, by the file, so that they do not use that of a data directory.
    own:
      flags["data-dir"] === "" || isInEtcd(flags)
        ? undefined
        : await readOwnKey(resolve(flags["data-dir"])),
    keyPrefix: isInEtcd(flags) ? flags["etcd-prefix"] : "/registry",
    waits: false,
    // Commands say themselves which values they cannot read.
    log: noLog,
  });
  if (!opened) return work(store);
  try {
    return await work(encryptedStore(store, opened.encryption));
  } finally {
    opened.close();
  }
}

/** Opens the store for writing; if a server has it open, the error includes `advice`. */
export function withWritableStore<T>(
  { inherited }: Pick<CommandContext, "inherited">,
  advice: string,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const flags = inherited(storeFlags);
  const open = async (): Promise<Store> => openOwnStore(await dataDirectory(flags), advice);
  return closing(isInEtcd(flags) ? openInEtcd(flags) : open(), work);
}

/** Opens the store of a data directory exclusively; if it is open elsewhere, the error includes `advice`. */
export async function openOwnStore(
  dir: string,
  advice: string,
  options: Pick<LmdbStoreOptions, "noSync" | "quotaBytes"> = {},
): Promise<LmdbStore> {
  try {
    return await openLmdbStore({ path: join(dir, "store"), clock: realClock, ...options });
  } catch (error) {
    if (!(error instanceof StoreError && error.code === "Locked")) throw error;
    throw new StoreInUseError(`${error.message} (${advice})`);
  }
}

/** Another process, such as a server, has the store of the data directory open for writing. */
export class StoreInUseError extends Error {}

/** Whether the store is in etcd; the data directory then holds only certificates and keys. */
export const isInEtcd = (flags: StoreFlags): boolean => flags["etcd-servers"].length > 0;

async function openInEtcd(flags: StoreFlags): Promise<Store> {
  if ((flags["etcd-certfile"] === "") !== (flags["etcd-keyfile"] === ""))
    throw new UsageError("--etcd-certfile and --etcd-keyfile must be given together");
  return openEtcd({
    endpoints: flags["etcd-servers"],
    prefix: flags["etcd-prefix"],
    tls: await etcdTls(flags),
    clock: realClock,
    // A user at a terminal should not wait for an etcd that has not started.
    dialMs: 5000,
  });
}

/** The data directory that the flags name; throws if it is none, or was written by a newer version. */
export async function dataDirectory(flags: StoreFlags): Promise<string> {
  if (flags["data-dir"] === "")
    throw new UsageError("--data-dir or --etcd-servers is required to find the store");
  const dir = resolve(flags["data-dir"]);
  const found = await stat(dir).catch(() => undefined);
  if (!found?.isDirectory()) throw new Error(`${dir}: there is no such directory`);
  await checkDataDirectory(dir);
  const files = await readdir(join(dir, "store")).catch((): string[] => []);
  // If only the data is missing, opening the store reports a better error.
  if (files.includes("data.mdb") || files.includes("owner")) return dir;
  throw new Error(`${dir} is not a data directory of Wherry: it contains no store`);
}

async function closing<T>(opening: Promise<Store>, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await opening;
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
