import {
  badRequest,
  notFound,
  type ResourceName,
  StatusError,
} from "../../api/meta/v1/status-error.ts";
import type { Clock } from "../../base/clock.ts";
import type { Entropy } from "../../base/entropy.ts";
import type { QueueObserver } from "../../base/queue/work-queue.ts";
import type { Random } from "../../base/random.ts";
import type { ValidationOptions } from "../../schema/language/report.ts";
import { pathSegmentName } from "../../schema/values/names.ts";
import { quote } from "../../schema/values/quote.ts";
import { formatTime, timeFromMillis } from "../../schema/values/time.ts";
import { type CommitOutcome, type Op, type Store, StoreError } from "../../store/store.ts";
import type { Admission } from "../admission/admission.ts";
import type { Authentication } from "../authentication/authenticate.ts";
import type { TokenIssuer } from "../authentication/service-account-tokens.ts";
import type { Attributes } from "../authorization/attributes.ts";
import type { Authorizer } from "../authorization/authorizer.ts";
import type { Policy } from "../authorization/policy.ts";
import type { AccessMetrics } from "../metrics/access-metrics.ts";
import type { ReadMetrics } from "../metrics/read-metrics.ts";
import type { User } from "../request/identity.ts";
import type { WatchCache } from "../watch/watch-cache.ts";
import type { AnyKind, ApiObject, ObjectDraft } from "./object.ts";
import type { Resources } from "./resources.ts";
import { Stored, storedKind, whileWriting } from "./stored.ts";

/** Where an object is, or is to be. */
export interface Address {
  readonly kind: AnyKind;
  /** Empty for kinds that have none. */
  readonly namespace: string;
  readonly name: string;
}

/** Who asks, and what the answer will carry beside the object. */
export interface RequestContext {
  readonly user: User;
  readonly dryRun: boolean;
  /** Who comes to own the fields that are written. */
  readonly fieldManager: string;
  /** Texts for Warning headers, in order. */
  readonly warnings: string[];
  /** As what the request was allowed; absent for what the server does by itself. */
  readonly attributes?: Attributes;
  /** What the client said of how it is to be done; absent for what the server does by itself. */
  readonly options?: object;
  /** Throws where nobody waits for the answer any more; absent for what the server does by itself. */
  readonly checkpoint?: () => void;
  /** What admission has to say of the request in an audit log, by key. */
  readonly auditAnnotations?: Map<string, string>;
}

/** What all operations on objects need. */
export interface Registry {
  readonly store: Store;
  readonly cache: WatchCache;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly random: Random;
  readonly admission: Admission;
  readonly allocator: Allocator;
  readonly resources: Resources;
  /** Who may do what: the whole chain, and the roles that are a part of it. */
  readonly authorizer: Authorizer;
  readonly policy: Policy;
  /** Whom tokens belong to, and who issues them. */
  readonly authentication: Authentication;
  readonly tokenIssuer: TokenIssuer;
  /** Milliseconds after which events are forgotten; 0: never. */
  readonly eventTtlMs: number;
  /** What is refused here though it is valid elsewhere, as rules of kinds look it up. */
  readonly ruling?: Pick<ValidationOptions, "flags" | "verifySignature">;
  /** How long a watch lasts at least whose client does not say. */
  readonly minWatchMs: number;
  /** Counts who asks, where somebody wants to know. */
  readonly access?: AccessMetrics;
  /** Counts how objects are read, where somebody wants to know. */
  readonly reads?: ReadMetrics;
  /** Counts what is queued under a name, where somebody wants to know. */
  readonly queues?: (name: string) => QueueObserver<string>;
}

/** Carries out operations, all or none. */
export type Commit = (ops: readonly Op[]) => Promise<CommitOutcome>;

/** An object that is about to be written. */
export interface AboutToWrite {
  readonly kind: AnyKind;
  readonly draft: ObjectDraft;
  readonly old: ApiObject | undefined;
  readonly dryRun: boolean;
}

/** Gives objects what must be their own in the cluster, such as addresses, and takes it back. */
export interface Allocator {
  /**
   * Runs a write of the object, completed. Where there is a `commit`, the write is committed by it, to
   * store with the object what it was given; it runs again when somebody else was given the same.
   */
  write<T>(
    object: AboutToWrite,
    run: (draft: ObjectDraft, commit?: Commit) => Promise<T>,
  ): Promise<T>;
  /** By what the removal of an object, as of a revision, is committed, where it has anything. */
  removal(address: Address, revision: number): Promise<Commit> | undefined;
}

export const keyOf = ({ kind, namespace, name }: Address): string =>
  kind.scope === "Namespaced"
    ? `/registry/${kind.storagePrefix}/${namespace}/${name}`
    : `/registry/${kind.storagePrefix}/${name}`;

/** The address as errors name it, by the plural of the resource. */
export const resourceName = ({ kind, name }: Address): ResourceName => ({
  group: kind.group,
  resource: kind.plural,
  name,
});
/** The address as errors name it, by the kind that it is stored as. */
export const kindName = ({ kind, name }: Address): ResourceName => ({
  group: storedKind(kind).group,
  resource: kind.kind,
  name,
});

/** The object at an address as the store has it now. */
export async function read(registry: Registry, address: Address): Promise<Stored> {
  const stored = await find(registry, address);
  if (!stored) throw absent(address);
  return stored;
}

/** What is said of an object that is asked for, and is not there: of some names it cannot be. */
export function absent(address: Address): StatusError {
  const why = pathSegmentName(address.name);
  if (why.length === 0) return notFound(resourceName(address));
  return badRequest(`Name parameter invalid: ${quote(address.name)}: ${why.join(";")}`);
}

export async function find(
  { cache, store }: Registry,
  address: Address,
): Promise<Stored | undefined> {
  const key = keyOf(address);
  if (await cache.fresh()) return cache.of(address.kind).get(key)?.as(address.kind);
  const entry = await store.get(key);
  return entry && new Stored(address.kind, entry);
}

/** The object at an address as the cache has it; the store is asked only where the cache has none. */
export async function findKnown(registry: Registry, address: Address): Promise<Stored | undefined> {
  const known = registry.cache.of(address.kind).get(keyOf(address));
  return known ? known.as(address.kind) : find(registry, address);
}

/** Puts an object in the form in which it is stored. */
export const canonical = (kind: AnyKind, object: unknown): ApiObject =>
  kind.form.canonical(object) as ApiObject;

/** Makes a draft that was found valid into the object that is stored. */
export function sealed(kind: AnyKind, draft: ObjectDraft): ApiObject {
  kind.strategy.canonicalise?.(draft as never);
  return canonical(kind, draft);
}

/** Writes an object where it was last seen at `ifRevision`; 0 where there is none. */
export async function put(
  registry: Registry,
  address: Address,
  {
    object,
    ifRevision,
    commit: commitBy = commitTo(registry),
  }: {
    readonly object: ApiObject;
    readonly ifRevision: number;
    readonly commit?: Commit | undefined;
  },
): Promise<Stored | "conflict"> {
  const { kind } = address;
  const key = keyOf(address);
  const ttlMs = kind.strategy.expires ? registry.eventTtlMs : 0;
  return whileWriting(kind, object, async (value) => {
    const outcome = await commitBy([
      { type: "put", key, value, ifRevision, ...(ttlMs > 0 && { ttlMs }) },
    ]);
    if (!outcome.ok) return "conflict";
    const stored = registry.cache.of(kind).get(key);
    if (stored?.revision === outcome.revision) return stored.as(kind);
    return new Stored(kind, { key, value, modRevision: outcome.revision });
  });
}

/** Writes objects that do not exist yet, all in one revision or none: false where one exists. */
export async function putNew(
  registry: Registry,
  objects: readonly { readonly address: Address; readonly object: ApiObject }[],
): Promise<boolean> {
  const ops: Op[] = [];
  let written: (outcome: Promise<CommitOutcome>) => void = () => {};
  const outcome = new Promise<CommitOutcome>((resolve) => {
    written = resolve;
  });
  const writes = objects.map(({ address, object }) =>
    whileWriting(address.kind, object, (value) => {
      ops.push({ type: "put", key: keyOf(address), value, ifRevision: 0 });
      return outcome;
    }),
  );
  written(commitTo(registry)(ops));
  await Promise.all(writes);
  return (await outcome).ok;
}

/** Removes an object that was last seen at `ifRevision`, and what it was allocated. */
export async function remove(
  registry: Registry,
  address: Address,
  ifRevision: number,
): Promise<number | "conflict"> {
  const commit = (await registry.allocator.removal(address, ifRevision)) ?? commitTo(registry);
  const outcome = await commit([{ type: "delete", key: keyOf(address), ifRevision }]);
  return outcome.ok ? outcome.revision : "conflict";
}

/** Commits to the store, and says in the API's words when it cannot. */
export const commitTo =
  ({ store }: Pick<Registry, "store">): Commit =>
  async (ops) => {
    try {
      return await store.commit(ops);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      const { cause } = error;
      if (error.code === "NoSpace") throw new StatusError("", noSpace, { cause: error });
      // The words of etcd are handed on as they are, as upstream does.
      if (cause instanceof Error && cause.message.startsWith("etcdserver: "))
        throw new StatusError("", cause.message, { cause: error });
      if (error.code === "UnknownOutcome")
        throw new StatusError(
          "Timeout",
          `Timeout: the outcome of the write is not known: ${error.message}`,
          { cause: error },
        );
      throw new StatusError("ServiceUnavailable", error.message, { cause: error });
    }
  };

/** What etcd says when it is as large as it may be, which upstream hands on. */
const noSpace = "etcdserver: mvcc: database space exceeded";

/** Now, as metadata has it. */
export const now = ({ clock }: Registry, addSeconds = 0): string =>
  formatTime(timeFromMillis(Math.floor(clock.now() / 1000) * 1000 + addSeconds * 1000));
