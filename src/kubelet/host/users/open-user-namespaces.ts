import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { errorMessage } from "../../../base/error-message.ts";
import type { Random } from "../../../base/random.ts";
import type { UserNamespaceOptions } from "../../../cri/linux-types.ts";
import { writePrivateFile } from "../../../platform/files.ts";
import { formatIdMappings, parseIdMappings } from "../../users/id-mappings-file.ts";
import { nodeIds } from "../../users/node-ids.ts";
import { PodIds } from "../../users/pod-ids.ts";
import { readSubordinateIds } from "./read-subordinate-ids.ts";

export interface UserNamespacesOptions {
  /** The root directory of the kubelet. */
  readonly rootDir: string;
  /** How many IDs each pod has. */
  readonly idsPerPod?: number | undefined;
  readonly maxPods: number;
  readonly random: Random;
  /** Reads which IDs of the machine the kubelet may use; undefined for all. By default getsubids tells. */
  readonly subordinate?: (() => Promise<string | undefined>) | undefined;
}

/** The users that pods have instead of those of the node. */
export interface UserNamespaces {
  /** The mapping of a pod's users, which is made when it is first needed. The folder of the pod must exist. */
  of(podUid: string): Promise<UserNamespaceOptions>;
  /** Lets other pods have the IDs of a pod. Nothing of it may run. */
  release(podUid: string): Promise<void>;
}

/**
 * Opens the records of the IDs that pods have, each a file in the folder of its pod: it is written before the pod uses
 * them, and removed before another may. Rejects if a record is not right: two pods could have the same IDs.
 */
export async function openUserNamespaces(options: UserNamespacesOptions): Promise<UserNamespaces> {
  const { idsPerPod, maxPods, rootDir, random, subordinate = readSubordinateIds } = options;
  const length = idsPerPod || usualIds;
  const limits = await during("create user namespace manager: kubelet mappings", subordinate);
  const opened = during("create user namespace manager", async () => {
    const ids = new PodIds(nodeIds({ idsPerPod: length, maxPods, subordinate: limits }), random);
    const records = new IdRecords(join(rootDir, "pods"), { ids, length });
    await records.readAll();
    return records;
  });
  return opened;
}

const usualIds = 65_536;

class IdRecords implements UserNamespaces {
  readonly #pods: string;
  readonly #ids: PodIds;
  readonly #length: number;

  constructor(pods: string, { ids, length }: { readonly ids: PodIds; readonly length: number }) {
    this.#pods = pods;
    this.#ids = ids;
    this.#length = length;
  }

  async readAll(): Promise<void> {
    for (const podUid of await readdir(this.#pods).catch(() => []))
      await during(`record pod mappings for existing pod ${JSON.stringify(podUid)}`, () =>
        this.#read(podUid),
      );
  }

  async of(podUid: string): Promise<UserNamespaceOptions> {
    const hostId =
      (await during("user namespace", () => this.#read(podUid))) ??
      (await during("create user namespace", () => this.#create(podUid)));
    const ranges = [{ containerId: 0, hostId, length: this.#length }];
    return { mode: "pod", uids: ranges, gids: ranges };
  }

  async release(podUid: string): Promise<void> {
    await rm(this.#file(podUid), { force: true });
    this.#ids.release(podUid);
  }

  /** The first of the IDs that a pod has; undefined if it has none. */
  async #read(podUid: string): Promise<number | undefined> {
    const range = parseIdMappings(await readIfThere(this.#file(podUid)));
    if (range) this.#ids.record(podUid, range.hostId, range.length);
    return range?.hostId;
  }

  async #create(podUid: string): Promise<number> {
    const first = this.#ids.allocate(podUid);
    try {
      await writePrivateFile(this.#file(podUid), formatIdMappings(first, this.#length));
    } catch (error) {
      this.#ids.release(podUid);
      throw error;
    }
    return first;
  }

  #file(podUid: string): string {
    return join(this.#pods, podUid, "userns");
  }
}

async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return "";
    throw error;
  }
}

/** Says in an error what was done. */
async function during<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new Error(`${what}: ${errorMessage(cause)}`, { cause });
  }
}
