import { Node } from "../../api/core/v1/node/node.ts";
import type { Taint } from "../../api/core/v1/scheduling/taint.ts";
import { isSameTaint } from "../../api/core/v1/scheduling/well-known-taint.ts";
import type { Backoff } from "../../base/backoff.ts";
import type { Client } from "../../client/client.ts";
import { keyOf } from "../../client/resource-kind.ts";
import {
  type RetryingOptions,
  retryOnConflict,
} from "../../controller-runtime/objects/retry-on-conflict.ts";
import { formatTime, timeFromMillis } from "../../schema/values/time.ts";
import type { TaintChanges } from "./condition-taints.ts";

export interface NodeWrites extends RetryingOptions {
  readonly client: Client;
}

/**
 * Adds and removes taints of a node in one write. The changes are computed for each version that is
 * tried; nothing is written if there are none.
 */
export async function changeTaints(
  { client, ...retrying }: NodeWrites,
  node: Node,
  changesOf: (node: Node) => TaintChanges,
): Promise<void> {
  const { clock, signal } = retrying;
  let isFirst = true;
  await retryOnConflict(
    async () => {
      const current = isFirst ? node : await client.get(Node, keyOf(node), { signal });
      isFirst = false;
      const { add, remove } = changesOf(current);
      const { taints = [] } = current.spec;
      if (add.length === 0 && !remove.some((taint) => taints.some(is(taint)))) return;
      const timeAdded = formatTime(timeFromMillis(clock.now()));
      const changed = withTaints(taints, {
        add: add.map((one) => ({ ...one, timeAdded })),
        remove,
      });
      const { uid, resourceVersion } = current.metadata;
      const merge = {
        metadata: { uid, resourceVersion },
        spec: { taints: changed.length === 0 ? null : changed },
      };
      await client.patch(Node, keyOf(node), { merge }, { signal });
    },
    { ...retrying, backoff: taintBackoff },
  );
}

/** Taints with some added, replacing equal ones, and some removed. */
export function withTaints(
  taints: readonly Taint[],
  { add, remove }: TaintChanges,
): readonly Taint[] {
  const replaced = taints.map((taint) => add.find(is(taint)) ?? taint);
  const added = add.filter((taint) => !taints.some(is(taint)));
  return [...replaced, ...added].filter((taint) => !remove.some(is(taint)));
}

const taintBackoff: Backoff = { steps: 5, duration: 100, jitter: 1 };

const is =
  (taint: Taint) =>
  (other: Taint): boolean =>
    isSameTaint(taint, other);
