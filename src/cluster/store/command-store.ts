import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { CommandContext } from "../../cli/command.ts";
import { stringFlag, stringsFlag, type Values } from "../../cli/flag.ts";
import { UsageError } from "../../cli/parse-flags.ts";
import { realClock } from "../../platform/real-clock.ts";
import { type LmdbStore, openLmdbStore } from "../../store/lmdb/lmdb-store.ts";
import { type Store, StoreError } from "../../store/store.ts";
import { checkDataDirectory } from "../opening/data-version.ts";
import { etcdTls } from "../opening/etcd-tls.ts";
import { openEtcd } from "../opening/open-etcd.ts";

/** Which store is meant; all commands take them. */
export const storeFlags = {
  "data-dir": stringFlag({ usage: "the data `DIR` of a cluster or API server" }),
  "etcd-servers": stringsFlag({
    usage: "the `URL`s of the servers of an etcd, where the store is in one",
  }),
  "etcd-cafile": stringFlag({ usage: "the `FILE` of the authority of etcd" }),
  "etcd-certfile": stringFlag({ usage: "the `FILE` of the certificate for etcd" }),
  "etcd-keyfile": stringFlag({ usage: "the `FILE` of the private key for etcd" }),
  "etcd-prefix": stringFlag({ usage: "what all keys begin with in etcd", default: "/registry" }),
};

export type StoreFlags = Values<typeof storeFlags>;

/** Opens the store that the flags name, to be read, also beside a server; closes it when the work is done. */
export function withStore<T>(
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

/** Opens the store to change it; where a server has it open, `advice` says what to do instead. */
export function withWritableStore<T>(
  { inherited }: Pick<CommandContext, "inherited">,
  advice: string,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const flags = inherited(storeFlags);
  const open = async (): Promise<Store> => openOwnStore(await dataDirectory(flags), advice);
  return closing(isInEtcd(flags) ? openInEtcd(flags) : open(), work);
}

/** Opens the store of a data directory as the only one; where another has it open, with an advice. */
export async function openOwnStore(dir: string, advice: string): Promise<LmdbStore> {
  try {
    return await openLmdbStore({ path: join(dir, "store"), clock: realClock });
  } catch (error) {
    if (!(error instanceof StoreError && error.code === "Locked")) throw error;
    throw new Error(`${error.message} (${advice})`);
  }
}

/** Whether the store is in an etcd; a data directory beside it has only certificates and keys. */
export const isInEtcd = (flags: StoreFlags): boolean => flags["etcd-servers"].length > 0;

async function openInEtcd(flags: StoreFlags): Promise<Store> {
  if ((flags["etcd-certfile"] === "") !== (flags["etcd-keyfile"] === ""))
    throw new UsageError("--etcd-certfile and --etcd-keyfile must be given together");
  return openEtcd({
    endpoints: flags["etcd-servers"],
    prefix: flags["etcd-prefix"],
    tls: await etcdTls(flags),
    clock: realClock,
    // Who types a command does not wait for an etcd that is still to start.
    dialMs: 5000,
  });
}

/** The data directory that the flags name; throws where it is none, or one of a newer version. */
export async function dataDirectory(flags: StoreFlags): Promise<string> {
  if (flags["data-dir"] === "")
    throw new UsageError("--data-dir or --etcd-servers is required: it says where the store is");
  const dir = resolve(flags["data-dir"]);
  const found = await stat(dir).catch(() => undefined);
  if (!found?.isDirectory()) throw new Error(`${dir}: there is no such directory`);
  await checkDataDirectory(dir);
  const files = await readdir(join(dir, "store")).catch((): string[] => []);
  // A store that lost its data has something better to say of itself.
  if (files.includes("data.mdb") || files.includes("owner")) return dir;
  throw new Error(`${dir} is no data directory of Wherry: there is no store in it`);
}

async function closing<T>(opening: Promise<Store>, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await opening;
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
