import { Pod } from "../../api/core/v1/pod/pod.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { type Backoff, delays } from "../../base/backoff.ts";
import { sleep } from "../../base/clock.ts";
import { PodBinding } from "../../client/subresource-kinds.ts";
import type { Handle } from "../framework/handle.ts";
import type { PluginFactory } from "../framework/plugin.ts";
import type { PodInfo } from "../framework/pod-info.ts";

/**
 * Binds pods by the API. If the result of a request is unknown, it reads the pod: treating a bound pod
 * as unbound would give its resources away.
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
      if (isRejection(error)) throw error;
      if ((await nodeOf(pod, handle, signal)) !== node) throw error;
    }
    return undefined;
  },
});

/**
 * Whether the server has definitely not bound the pod; a Conflict may mean an earlier attempt succeeded.
 */
const isRejection = (error: unknown): boolean =>
  error instanceof StatusError && error.code < 500 && !StatusError.is(error, "Conflict");

/** Reads the node of a pod from the server, and retries until that succeeds. */
async function nodeOf(
  { name, namespace, uid }: PodInfo,
  { client, clock, random }: Handle,
  signal: AbortSignal,
): Promise<string | undefined> {
  const nextDelay = delays(retryBackoff, random);
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

const retryBackoff: Backoff = { duration: 100, factor: 2, steps: 10, cap: 5000, jitter: 0.1 };
