import { type Clock, withDeadline } from "../../base/clock.ts";
import type { SelectOptions } from "../../client/call-options.ts";
import type { CacheReader } from "../../client/informer/informer-options.ts";
import type { KubernetesObject, ResourceKind } from "../../client/resource-kind.ts";
import { compareVersions } from "../../client/resource-version.ts";
import { isInScope } from "./informer-scope.ts";
import type { OwnWrite } from "./own-write.ts";

/** An informer as far as own writes are concerned. */
export interface FollowedKind extends Pick<CacheReader<KubernetesObject>, "get"> {
  readonly kind: ResourceKind;
  readonly scope: SelectOptions;
  /** The version up to which it knows all changes. */
  readonly resourceVersion: string;
  /** Resolves when a condition holds, which is asked whenever something is new; `version`: at the latest then. */
  until(
    isDone: () => boolean,
    options: { readonly signal: AbortSignal; readonly version?: string | undefined },
  ): Promise<void>;
}

/** What is needed to find out what became of writes. */
export interface OwnWritesOptions {
  readonly clock: Clock;
  /** The informers of a resource: none where nobody reads it from a cache. */
  followed(resource: Pick<OwnWrite, "group" | "plural">): readonly FollowedKind[];
  /** Reads from the server, not from a cache, what may have been written. */
  read(
    write: OwnWrite & { readonly type: "unknown" },
    signal: AbortSignal,
  ): Promise<readonly KubernetesObject[]>;
  /** How long a cache may lag behind before whoever waits gives up for now; 30 s if not given. */
  readonly timeoutMs?: number | undefined;
}

/**
 * What one key of a controller wrote, until all caches show it: a reconcile that waits for it never
 * sees a world in which it has not yet done what it did.
 */
export class OwnWrites {
  readonly #options: OwnWritesOptions;
  /** What is not known to be shown yet; the last write to an object is enough. */
  readonly #pending = new Map<string, OwnWrite>();

  constructor(options: OwnWritesOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#pending.size;
  }

  note(write: OwnWrite): void {
    // Its place is the last one, so that what is oldest is looked at first.
    const text = placeOf(write);
    const last = this.#pending.get(text);
    this.#pending.delete(text);
    const next = withUid(write, this.#options.followed(write));
    this.#pending.set(
      text,
      next.type === "gone" && last?.type === "written" ? { ...next, last } : next,
    );
  }

  /** Forgets what nobody reads from a cache; returns it. */
  forgetUnfollowed(): readonly OwnWrite[] {
    const forgotten = [...this.#pending].filter(
      ([, write]) => this.#options.followed(write).length === 0,
    );
    for (const [text] of forgotten) this.#pending.delete(text);
    return forgotten.map(([, write]) => write);
  }

  /**
   * Resolves when caches show all that was written, of one resource or of all; rejects when they lag
   * behind for too long, or what became of a write cannot be found out.
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
   * What may have been written, as it is now: each object is waited for in this version. One that was
   * to be written and is not there may have been deleted.
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

/** Where a write is remembered: the last one to an object replaces those before. */
function placeOf(write: OwnWrite): string {
  const { group, plural } = write;
  const { namespace = "", name } = write.type === "unknown" ? write : write.key;
  // What may have been created under any name is not what was written to one object.
  return JSON.stringify([group, plural, namespace, name ?? null, write.type === "unknown"]);
}

/** The write with the uid of the object that is shown, where it does not say which one is gone. */
function withUid(write: OwnWrite, followed: readonly FollowedKind[]): OwnWrite {
  if (write.type !== "gone" || write.uid !== undefined) return write;
  const shown = followed.map((one) => one.get(write.key)).find((object) => object !== undefined);
  return { ...write, uid: shown?.metadata.uid ?? none };
}

async function shownBy(one: FollowedKind, write: OwnWrite, signal: AbortSignal): Promise<void> {
  const version = write.type === "written" ? write.resourceVersion : undefined;
  await one.until(() => isShown(one, write), { signal, version });
}

/** Whether an informer shows a write, or something later, or never will because it does not follow it. */
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
  // What is not shown and is not followed, as far as one can tell, will not come.
  return object === undefined || isInScope(one.kind, one.scope, object) !== true;
}

/** The uid of no object. */
const none = "none";

/** Whether a version is another one or later; versions that are no numbers cannot be waited for. */
const isPast = (version: string, other: string): boolean =>
  version !== "" && (compareVersions(version, other) ?? 0) >= 0;
