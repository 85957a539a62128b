import { delays } from "../../base/backoff.ts";
import type { Timer } from "../../base/clock.ts";
import { coalesceCalls } from "../../base/coalesce-calls.ts";
import type { KubernetesObject, ObjectKey, ResourceKind } from "../../client/resource-kind.ts";
import type { RunnableContext } from "../manager/manager-options.ts";

/** What keeping objects needs of the manager. */
export type KeepingContext = Pick<
  RunnableContext,
  "client" | "informers" | "clock" | "random" | "log"
>;

/** An object that is kept, and how it gets what it should have. */
export interface KeptObject extends ObjectKey {
  readonly kind: ResourceKind<KubernetesObject>;
  /** Writes what is missing; returns whether the object is as it should be. */
  ensure(): Promise<boolean>;
}

/** Objects that are kept as they should be. */
export interface KeptObjects {
  /** Whether all of them are as they should be. */
  readonly isComplete: boolean;
  /** Looks at them again, because what is wanted has changed. */
  refresh(): void;
  close(): void;
}

/** Writes objects, and writes them again when others change or delete them. */
export function keepObjects(ctx: KeepingContext, objects: readonly KeptObject[]): KeptObjects {
  const kept = objects.map((one) => keep(ctx, one));
  return {
    get isComplete() {
      return kept.every(({ isComplete }) => isComplete);
    },
    refresh() {
      for (const one of kept) one.refresh();
    },
    close() {
      for (const one of kept) one.close();
    },
  };
}

/** Whether an object has all that is wanted of it; defaults that a server has filled in do not matter. */
export function hasMembers(object: unknown, wanted: unknown): boolean {
  if (wanted === undefined) return true;
  if (Array.isArray(wanted))
    return (
      Array.isArray(object) &&
      object.length === wanted.length &&
      wanted.every((item, i) => hasMembers(object[i], item))
    );
  if (typeof wanted !== "object" || wanted === null) return object === wanted;
  if (typeof object !== "object" || object === null) return false;
  const members = object as Readonly<Record<string, unknown>>;
  return Object.entries(wanted).every(([name, value]) => hasMembers(members[name], value));
}

/** The delays between attempts that fail. */
const retries = { duration: 1000, factor: 2, jitter: 0.1, steps: 10, cap: 60_000 };

function keep(ctx: KeepingContext, { kind, name, namespace, ensure }: KeptObject): KeptObjects {
  const { informers, clock, random, log } = ctx;
  let isComplete = false;
  let isClosed = false;
  let timer: Timer | undefined;
  let delay = delays(retries, random);
  const attempt = coalesceCalls(async () => {
    timer?.cancel();
    if (isClosed) return;
    try {
      isComplete = await ensure();
      delay = delays(retries, random);
    } catch (error) {
      isComplete = false;
      if (isClosed) return;
      log.error("object was not written", error, { kind: kind.kind, name });
      timer = clock.setTimer(delay(), refresh);
    }
  });
  const refresh = (): void => void attempt();
  const informer = informers.of(kind, { namespace, fieldSelector: { "metadata.name": name } });
  const registration = informer.addHandler({
    added: refresh,
    updated: refresh,
    deleted: refresh,
  });
  refresh();
  return {
    get isComplete() {
      return isComplete;
    },
    refresh,
    close() {
      isClosed = true;
      timer?.cancel();
      registration.remove();
      informer.close();
    },
  };
}
