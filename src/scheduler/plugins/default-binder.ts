import { Pod } from "../../api/core/v1/pod/pod.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { type Backoff, delays } from "../../base/backoff.ts";
import { sleep } from "../../base/clock.ts";
import { PodBinding } from "../../client/subresource-kinds.ts";
import type { Handle } from "../framework/handle.ts";
import type { PluginFactory } from "../framework/plugin.ts";
import type { PodInfo } from "../framework/pod-info.ts";

/**
 * Tells the API server on which node a pod is. Where it does not know what became of that, it asks: a
 * pod that was bound, and is thought not to be, would have its place given to another.
 */
export const defaultBinder: PluginFactory = (_, handle) => ({
  name: "DefaultBinder",
  async bind(_state, pod, { node, signal }) {
    const { name, namespace, uid } = pod;
    const binding = {
      metadata: { name, namespace, uid },
      target: { kind: "Node", name: node },
    };
    try {
      await handle.client
        .subresource(Pod, { name, namespace }, "binding")
        .create(PodBinding, binding, { signal });
    } catch (error) {
      if (isRefusal(error)) throw error;
      if ((await nodeOf(pod, handle, signal)) !== node) throw error;
    }
    return undefined;
  },
});

/** Whether the server has said that it did not do it; that it was done before is no refusal. */
const isRefusal = (error: unknown): boolean =>
  error instanceof StatusError && error.code < 500 && !StatusError.is(error, "Conflict");

/** Where a pod is, as the server has it, however long it takes to learn that. */
async function nodeOf(
  { name, namespace, uid }: PodInfo,
  { client, clock, random }: Handle,
  signal: AbortSignal,
): Promise<string | undefined> {
  const nextDelay = delays(patience, random);
  for (;;) {
    try {
      const { metadata, spec } = await client.get(Pod, { name, namespace }, { signal });
      return metadata.uid === uid ? spec.nodeName : undefined;
    } catch (error) {
      if (StatusError.is(error, "NotFound")) return undefined;
      signal.throwIfAborted();
    }
    await sleep(clock, nextDelay(), signal);
  }
}

const patience: Backoff = { duration: 100, factor: 2, steps: 10, cap: 5000, jitter: 0.1 };
