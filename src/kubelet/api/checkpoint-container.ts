import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { rpcMessage } from "../../cri/rpc-message.ts";
import type { Kubelet } from "../kubelet.ts";
import { containerNamed } from "../pod/container/container-config.ts";
import { jsonResponse, type KubeletResponse, textResponse } from "./kubelet-request.ts";
import { runningContainer } from "./running-container.ts";

export interface CheckpointRequest {
  readonly pod: Pod;
  readonly container: string;
  readonly query: URLSearchParams;
  /** The folder of checkpoints. */
  readonly folder: string;
  readonly now: number;
}

/** Writes the state of a running container to a file, for `/checkpoint`, if the runtime can. */
export async function checkpointContainer(
  { runtime }: Pick<Kubelet, "runtime">,
  { pod, container, query, folder, now }: CheckpointRequest,
): Promise<KubeletResponse> {
  const { name, namespace } = pod.metadata;
  if (!containerNamed(pod, container))
    return textResponse(404, `container ${container} does not exist`);
  const timeout = query.getAll("timeout").at(-1) ?? "0";
  if (!/^[+-]?\d+$/.test(timeout))
    return textResponse(404, "cannot parse value of timeout parameter");
  const failed = (reason: string): KubeletResponse =>
    textResponse(500, `checkpointing of ${namespace}/${name}/${container} failed (${reason})`);
  const id = await runningContainer(runtime, pod, container);
  if (id === undefined) return failed(`container ${container} not found`);
  const timeoutSeconds = Number(timeout);
  if (timeoutSeconds < 0) return failed("CheckpointContainer requires the timeout value to be > 0");
  const time = new Date(now).toISOString().replace(/\.\d+/, "");
  const location = `${folder}/checkpoint-${name}_${namespace}-${container}-${time}.tar`;
  try {
    await runtime.checkpointContainer(id, { location, timeoutSeconds });
  } catch (error) {
    return failed(rpcMessage(error));
  }
  return jsonResponse({ items: [location] });
}
