import { type Clock, withDeadline } from "../../base/clock.ts";
import type { SelectOptions } from "../../client/call-options.ts";
import type { CacheReader } from "../../client/informer/informer-options.ts";
import type { KubernetesObject, ResourceKind } from "../../client/resource-kind.ts";
import { compareVersions } from "../../client/resource-version.ts";
import { isInScope } from "./informer-scope.ts";
import type { OwnWrite } from "./own-write.ts";

/** The part of an informer that own writes need. */
export interface FollowedKind extends Pick<CacheReader<KubernetesObject>, "get"> {
  readonly kind: ResourceKind;
  readonly scope: SelectOptions;
  /** The version up to which it knows all changes. */
  readonly resourceVersion: string;
  /** Resolves when a condition holds, checked after every change, and when `version` is reached. */
  until(
    isDone: () => boolean,
    options: { readonly signal: AbortSignal; readonly version?: string | undefined },
  ): Promise<void>;
}

/** How the outcome of writes is determined. */
export interface OwnWritesOptions {
  readonly clock: Clock;
  /** The informers of a resource; empty if nobody reads it from a cache. */
  followed(resource: Pick<OwnWrite, "group" | "plural">): readonly FollowedKind[];
  /** Reads the objects that may have been written from the server, not from a cache. */
  read(
    write: OwnWrite & { readonly type: "unknown" },
    signal: AbortSignal,
  ): Promise<readonly KubernetesObject[]>;
  /** How long to wait for a cache that lags behind; 30 s if not given. */
  readonly timeoutMs?: number | undefined;
}

/**
 * The writes of one key of a controller that caches may not show yet. A reconcile that waits for them
 * never works on a state from before its own writes.
 */
export class OwnWrites {
  readonly #options: OwnWritesOptions;
  /** Writes that caches may not show yet; only the last write to each object. */
  readonly #pending = new Map<string, OwnWrite>();

  constructor(options: OwnWritesOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#pending.size;
  }

  note(write: OwnWrite): void {
    // Deleted and added again, so that the oldest write stays the first.
    const text = placeOf(write);
    const last = this.#pending.get(text);
    this.#pending.delete(text);
    const next = withUid(write, this.#options.followed(write));
    this.#pending.set(
      text,
      next.type === "gone" && last?.type === "written" ? { ...next, last } : next,
    );
  }

  /** Forgets writes of resources that nobody reads from a cache, and returns them. */
  forgetUnfollowed(): readonly OwnWrite[] {
    const forgotten = [...this.#pending].filter(
      ([, write]) => this.#options.followed(write).length === 0,
    );
    for (const [text] of forgotten) this.#pending.delete(text);
    return forgotten.map(([, write]) => write);
  }

  /**
   * Resolves when caches show all writes, of one resource or of all. Rejects when caches lag behind for
   * too long, or the outcome of a write cannot be determined.
   */
  async shown(signal: AbortSignal, resource?: Pick<OwnWrite, "group" | "plural">): Promise<void> {
    const { clock, timeoutMs = 30_000 } = this.#options;
    const pending = [...this.#pending].filter(
      ([, { group, plural }]) =>
        !resource || (group === resource.group && plural === resource.plural),
    );
    if (pending.length === 0) return;
    await withDeadline({ clock, ms: timeoutMs, signal }, async (ending) => {
      for (const [text, write] of pending) {
        await this.#shown(write, ending);
        if (this.#pending.get(text) === write) this.#pending.delete(text);
      }
    }).catch((error: unknown) => {
      if (signal.aborted) throw error;
      const [, write] = pending.find(([text, write]) => this.#pending.get(text) === write) ?? [];
      const what = write ? `${write.verb} of ${write.plural}` : "a write";
      throw new Error(`the cache does not show its own writes yet: ${what}`, { cause: error });
    });
  }

  async #shown(write: OwnWrite, signal: AbortSignal): Promise<void> {
    const followed = this.#options.followed(write);
    if (write.type !== "unknown") {
      for (const one of followed) await shownBy(one, write, signal);
      return;
    }
    if (followed.length === 0) return;
    for (const found of await this.#found(write, signal))
      for (const one of followed) await shownBy(one, found, signal);
  }

  /**
   * The objects that may have been written, as they are now: caches must show these versions. An object
   * that does not exist may have been deleted.
   */
  async #found(
    write: OwnWrite & { readonly type: "unknown" },
    signal: AbortSignal,
  ): Promise<readonly OwnWrite[]> {
    const { namespace, name, ...target } = write;
    const objects = await this.#options.read(write, signal);
    const found = objects.map(
      (object): OwnWrite => ({
        ...target,
        type: "written",
        key: { namespace: object.metadata.namespace, name: object.metadata.name ?? "" },
        uid: object.metadata.uid ?? "",
        resourceVersion: object.metadata.resourceVersion ?? "",
        object,
      }),
    );
    if (name === undefined || found.length > 0) return found;
    const gone: OwnWrite = { ...target, type: "gone", key: { namespace, name }, uid: undefined };
    return [withUid(gone, this.#options.followed(write))];
  }
}

/** The key of a write: the last write to an object replaces earlier ones. */
function placeOf(write: OwnWrite): string {
  const { group, plural } = write;
  const { namespace = "", name } = write.type === "unknown" ? write : write.key;
  // A create with a generated name is not a write to a known object.
  return JSON.stringify([group, plural, namespace, name ?? null, write.type === "unknown"]);
}

/** The write with the uid of the object that a cache shows, if it is a deletion without a uid. */
function withUid(write: OwnWrite, followed: readonly FollowedKind[]): OwnWrite {
  if (write.type !== "gone" || write.uid !== undefined) return write;
  const shown = followed.map((one) => one.get(write.key)).find((object) => object !== undefined);
  return { ...write, uid: shown?.metadata.uid ?? none };
}

async function shownBy(one: FollowedKind, write: OwnWrite, signal: AbortSignal): Promise<void> {
  const version = write.type === "written" ? write.resourceVersion : undefined;
  await one.until(() => isShown(one, write), { signal, version });
}

/** Whether an informer shows a write or a later one, or never will because the object is not in its scope. */
function isShown(one: FollowedKind, write: OwnWrite): boolean {
  if (write.type === "unknown") return false;
  const shown = one.get(write.key);
  if (write.type === "gone") {
    const { uid, last } = write;
    return shown?.metadata.uid !== uid && (last === undefined || isShown(one, last));
  }
  const { resourceVersion: version, object, key } = write;
  if (isPast(one.resourceVersion, version)) return true;
  if (shown !== undefined) return isPast(shown.metadata.resourceVersion ?? "", version);
  const { namespace } = one.scope;
  if (namespace && namespace !== key.namespace) return true;
  // An object that is not shown and not known to be in scope will not be delivered.
  return object === undefined || isInScope(one.kind, one.scope, object) !== true;
}

/** The uid of no object. */
const none = "none";

/** Whether a version is the same or later; versions that are no numbers cannot be waited for. */
const isPast = (version: string, other: string): boolean =>
  version !== "" && (compareVersions(version, other) ?? 0) >= 0;
