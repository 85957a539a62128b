import { StatusError } from "../../api/meta/v1/status-error.ts";
import { type CommitOutcome, type Op, type Store, StoreError } from "../../store/store.ts";
import type { WatchCache } from "../watch/watch-cache.ts";
import { type Address, keyOf } from "./address.ts";
import type { CommitPart, FailedCommit, ObjectWrite, WriteSet } from "./commit-part.ts";
import { convertStored, convertTo } from "./conversions.ts";
import type { ApiObject } from "./object.ts";
import { encodeStored, Stored, storedKind } from "./stored.ts";

export interface CommitterOptions {
  readonly store: Store;
  readonly cache: WatchCache;
  /** Milliseconds after which events expire; 0: never. */
  readonly eventTtlMs: number;
  /** Whether objects of declared kinds are stored as JSON instead of protobuf; no if not given. */
  readonly storesJson?: boolean;
}

/** "conflict": an object has changed since it was read. "lost": another server took a claimed value. */
export type Refused = "conflict" | "lost";

/** The one place that commits objects to the store. */
export class Committer {
  readonly #options: CommitterOptions;
  /** The last commit of each lane that has not ended. */
  readonly #lanes = new Map<string, Promise<unknown>>();

  constructor(options: CommitterOptions) {
    this.#options = options;
  }

  /** Stores one object and the parts of the same write. */
  async put(
    address: Address,
    write: { readonly object: ApiObject; readonly ifRevision: number },
    parts: Omit<WriteSet, "objects"> = {},
  ): Promise<Stored | Refused> {
    const { kind } = address;
    if (kind.converter) return this.#putConverted(address, write, parts);
    return this.#put(address, write, parts);
  }

  /** The same for an object that a webhook converts to the stored version, and back for the response. */
  async #putConverted(
    address: Address,
    write: { readonly object: ApiObject; readonly ifRevision: number },
    parts: Omit<WriteSet, "objects">,
  ): Promise<Stored | Refused> {
    const { kind } = address;
    const stored = storedKind(kind);
    const object = await convertTo(stored, write.object);
    const outcome = await this.#put({ ...address, kind: stored }, { ...write, object }, parts);
    if (typeof outcome === "string") return outcome;
    await convertStored(kind, [outcome]);
    return outcome.as(kind);
  }

  async #put(
    address: Address,
    write: { readonly object: ApiObject; readonly ifRevision: number },
    parts: Omit<WriteSet, "objects">,
  ): Promise<Stored | Refused> {
    const { kind } = address;
    const put = this.#encode({ type: "put", address, ...write });
    const outcome = await this.#commit([put], parts);
    if (typeof outcome === "string") return outcome;
    const { key, value } = put.op;
    const cached = this.#options.cache.of(kind).get(key);
    if (cached?.revision === outcome.revision) return cached.as(kind);
    return new Stored(kind, { key, value, modRevision: outcome.revision }, put.stored);
  }

  /** Removes one object, with the parts of the same write; returns the revision. */
  async remove(
    address: Address,
    ifRevision: number,
    parts: Omit<WriteSet, "objects"> = {},
  ): Promise<number | Refused> {
    const outcome = await this.commit({
      ...parts,
      objects: [{ type: "delete", address, ifRevision }],
    });
    return typeof outcome === "string" ? outcome : outcome.revision;
  }

  /** Stores and removes objects, in one revision. */
  commit({ objects, ...parts }: WriteSet): Promise<{ readonly revision: number } | Refused> {
    return this.#commit(
      objects.map((write) => this.#encode(write)),
      parts,
    );
  }

  /** Commits operations on keys that hold no objects of the API. */
  commitRaw(ops: readonly Op[]): Promise<CommitOutcome> {
    return this.#store(ops);
  }

  async #commit(
    objects: readonly Encoded[],
    { claim, charges = [] }: Omit<WriteSet, "objects">,
  ): Promise<{ readonly revision: number } | Refused> {
    if (!claim && charges.length === 0) {
      const outcome = await this.#attempt(objects);
      return outcome.ok ? outcome : "conflict";
    }
    const parts = claim ? [...charges, claim] : charges;
    const lanes = parts.flatMap(({ lane }) => (lane === undefined ? [] : [lane]));
    return this.#inLanes(lanes, async () => {
      for (;;) {
        const claimed = this.#changesOf(claim ? [claim] : []);
        const charged = this.#changesOf(charges);
        if (claimed === "lost" || charged === "lost") return "lost";
        const outcome = await this.#attempt([...claimed, ...objects, ...charged]);
        if (outcome.ok) return outcome;
        const reaction = await reactionOf(parts, outcome);
        if (reaction === undefined) return "conflict";
        if (reaction === "lost") return "lost";
      }
    });
  }

  /** What parts store in this attempt. */
  #changesOf(parts: readonly CommitPart[]): readonly Encoded[] | "lost" {
    const encoded: Encoded[] = [];
    for (const part of parts) {
      const changes = part.changes();
      if (changes === "lost") return "lost";
      for (const change of changes) encoded.push(this.#encode(change));
    }
    return encoded;
  }

  async #attempt(writes: readonly Encoded[]): Promise<CommitOutcome> {
    const { written } = this.#options.cache;
    for (const { op, stored } of writes) if (stored && "value" in op) written.add(op.value, stored);
    try {
      return await this.#store(writes.map(({ op }) => op));
    } finally {
      for (const { op } of writes) if ("value" in op) written.delete(op.value);
    }
  }

  #encode(change: ObjectWrite & { readonly type: "put" }): Encoded & { readonly op: PutOp };
  #encode(change: ObjectWrite | Op): Encoded;
  #encode(change: ObjectWrite | Op): Encoded {
    if (!("address" in change)) return { op: change, stored: undefined };
    const { address, ifRevision } = change;
    const key = keyOf(address);
    if (change.type === "delete")
      return { op: { type: "delete", key, ifRevision }, stored: undefined };
    const { stored, bytes: value } = encodeStored(
      address.kind,
      change.object,
      this.#options.storesJson,
    );
    const ttlMs = address.kind.strategy.expires ? this.#options.eventTtlMs : 0;
    return { op: { type: "put", key, value, ifRevision, ...(ttlMs > 0 && { ttlMs }) }, stored };
  }

  /** Runs after all earlier commits in its lanes. Lanes are entered in the given order. */
  async #inLanes<T>([lane, ...rest]: readonly string[], run: () => Promise<T>): Promise<T> {
    if (lane === undefined) return run();
    const before = this.#lanes.get(lane) ?? Promise.resolve();
    const outcome = before.then(() => this.#inLanes(rest, run));
    const ended = outcome.then(
      () => {},
      () => {},
    );
    this.#lanes.set(lane, ended);
    void ended.then(() => this.#lanes.get(lane) === ended && this.#lanes.delete(lane));
    return outcome;
  }

  /** Commits to the store; a fault of the store becomes a Status. */
  async #store(ops: readonly Op[]): Promise<CommitOutcome> {
    try {
      return await this.#options.store.commit(ops);
    } catch (error) {
      throw error instanceof StoreError ? statusOf(error) : error;
    }
  }
}

type PutOp = Op & { readonly type: "put" };

interface Encoded {
  readonly op: Op;
  /** The object in its stored form; absent for deletions and raw operations. */
  readonly stored: ApiObject | undefined;
}

async function reactionOf(
  parts: readonly CommitPart[],
  outcome: FailedCommit,
): Promise<"retry" | "lost" | undefined> {
  for (const part of parts) {
    const reaction = await part.failed(outcome);
    if (reaction !== undefined) return reaction;
  }
  return undefined;
}

function statusOf(error: StoreError): StatusError {
  const { cause } = error;
  if (error.code === "NoSpace") return new StatusError("", noSpace, { cause: error });
  // Upstream returns etcd's messages unchanged.
  if (cause instanceof Error && cause.message.startsWith("etcdserver: "))
    return new StatusError("", cause.message, { cause: error });
  if (error.code === "UnknownOutcome")
    return new StatusError(
      "Timeout",
      `Timeout: the outcome of the write is not known: ${error.message}`,
      { cause: error },
    );
  return new StatusError("ServiceUnavailable", error.message, { cause: error });
}

/** The message of etcd when its database has reached its quota. */
const noSpace = "etcdserver: mvcc: database space exceeded";
