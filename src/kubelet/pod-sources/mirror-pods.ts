import type { Node } from "../../api/core/v1/node/node.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import type { Clock, Timer } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Client } from "../../client/client.ts";
import { keyOf } from "../../client/resource-kind.ts";
import { isAtLeast } from "../../client/resource-version.ts";
import { fullNameOf, isMirrorPod } from "../pod/static-pod.ts";
import { isMirrorOf, type MirroredPod, mirrorAction } from "./mirror-action.ts";
import { mirrorOf } from "./mirror-of.ts";

/** Shows the static pods of a node in the API: creates, replaces and deletes their mirror pods. */
export interface MirrorPods {
  /** A mirror pod was created or changed in the API. */
  set(mirror: Pod): void;
  /** A mirror pod was deleted from the API. */
  removed(mirror: Pod): void;
  /** All mirror pods of the node. */
  all(): readonly Pod[];
  /** The mirror pod that shows a static pod; undefined while there is none. */
  of(pod: Pod): Pod | undefined;
  /** Brings the mirror pod of a name in line with the static pod of that name. */
  reconcile(fullName: string): void;
  /** The same at once for all names, of static pods and of mirror pods. */
  reconcileAll(fullNames: Iterable<string>): void;
  close(): void;
}

export interface MirrorPodsOptions {
  readonly client: Client;
  /** The node in the API, which owns the mirror pods; undefined if it does not exist. */
  readonly node: () => Node | undefined;
  /** The static pod of a name that the API must show. */
  readonly mirrored: (fullName: string) => MirroredPod;
  readonly clock: Clock;
  readonly log: Log;
}

export function createMirrorPods(options: MirrorPodsOptions): MirrorPods {
  const { clock, log, mirrored } = options;
  /** The latest known mirror pods by full name. */
  const mirrors = new Map<string, Pod>();
  const working = new Set<string>();
  const again = new Set<string>();
  const retries = new Map<string, Retry>();
  let isClosed = false;

  const set = (mirror: Pod): void => {
    const name = fullNameOf(mirror);
    const known = mirrors.get(name);
    // The cache may be behind a mirror pod that was just created.
    if (!known || isNewer(mirror, known)) mirrors.set(name, mirror);
  };
  const removed = (mirror: Pod): void => {
    const name = fullNameOf(mirror);
    if (mirrors.get(name)?.metadata.uid === mirror.metadata.uid) mirrors.delete(name);
  };
  const act = async (name: string): Promise<void> => {
    const pod = mirrored(name);
    const mirror = mirrors.get(name);
    const action = mirrorAction(pod, mirror);
    if (mirror && (action === "delete" || action === "replace")) {
      await deleteMirror(mirror, options);
      removed(mirror);
    }
    if (typeof pod !== "object" || (action !== "create" && action !== "replace")) return;
    const created = await createMirror(pod, options);
    set(created);
    if (mirrorAction(pod, created) !== "none") throw new Error("another mirror pod has its name");
  };
  const work = async (name: string): Promise<void> => {
    working.add(name);
    do {
      again.delete(name);
      retries.get(name)?.timer.cancel();
      try {
        await act(name);
        retries.delete(name);
      } catch (error) {
        log.warn("bringing the mirror pod in line failed", { name, error });
        retryLater(name);
      }
    } while (again.has(name) && !isClosed);
    working.delete(name);
  };
  const reconcile = (name: string): void => {
    if (working.has(name)) again.add(name);
    else if (!isClosed) void work(name);
  };
  const retryLater = (name: string): void => {
    if (isClosed) return;
    const ms = Math.min((retries.get(name)?.ms ?? firstRetryMs / 2) * 2, lastRetryMs);
    retries.set(name, { ms, timer: clock.setTimer(ms, () => reconcile(name)) });
  };

  return {
    set(mirror) {
      set(mirror);
      reconcile(fullNameOf(mirror));
    },
    removed(mirror) {
      removed(mirror);
      reconcile(fullNameOf(mirror));
    },
    all: () => [...mirrors.values()],
    of(pod) {
      const mirror = mirrors.get(fullNameOf(pod));
      return mirror && isMirrorOf(mirror, pod) ? mirror : undefined;
    },
    reconcile,
    reconcileAll(fullNames) {
      for (const { timer } of retries.values()) timer.cancel();
      retries.clear();
      for (const name of new Set([...fullNames, ...mirrors.keys()])) reconcile(name);
    },
    close() {
      isClosed = true;
      for (const { timer } of retries.values()) timer.cancel();
    },
  };
}

interface Retry {
  readonly ms: number;
  readonly timer: Timer;
}

/** A node that starts may not be registered yet; later, mirror pods are not urgent. */
const firstRetryMs = 100;
const lastRetryMs = 60_000;

const isNewer = ({ metadata }: Pod, { metadata: known }: Pod): boolean =>
  isAtLeast(metadata.resourceVersion ?? "", known.resourceVersion ?? "");

async function deleteMirror(mirror: Pod, { client, log }: MirrorPodsOptions): Promise<void> {
  const { uid } = mirror.metadata;
  log.info("deleting a mirror pod", { name: fullNameOf(mirror), uid });
  try {
    await client.delete(Pod, keyOf(mirror), { gracePeriodSeconds: 0, preconditions: { uid } });
  } catch (error) {
    // It was deleted, or another one has its name.
    if (!StatusError.is(error, "NotFound", "Conflict")) throw error;
  }
}

/** Creates a mirror pod; returns the existing one if the cache did not have it. */
async function createMirror(pod: Pod, { client, node, log }: MirrorPodsOptions): Promise<Pod> {
  const owner = node();
  if (!owner || owner.metadata.deletionTimestamp)
    throw new Error("the node of the mirror pod does not exist");
  log.info("creating a mirror pod", { name: fullNameOf(pod) });
  try {
    return await client.create(Pod, mirrorOf(pod, owner) as never);
  } catch (error) {
    if (!StatusError.is(error, "AlreadyExists")) throw error;
    const found = await client.get(Pod, keyOf(pod));
    if (isMirrorPod(found)) return found;
    throw error;
  }
}
