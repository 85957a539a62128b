import type { Pod } from "../../../../api/core/v1/pod/pod.ts";
import type { DynamicObject } from "../../../../client/resource-kind.ts";
import type { CommandContext } from "../../../program/kubectl-command.ts";
import { compareByActivity } from "../../shared/pods/pod-order.ts";
import { goType, matchingPods, podSelectorOf } from "../../shared/pods/workload-pods.ts";

/** The pod that an object is, or the most active pod of a workload or a service; waits for it if there is none. */
export async function podOfObject(
  context: Pick<CommandContext, "factory" | "signal">,
  object: DynamicObject,
  timeoutMs: number,
): Promise<Pod> {
  if (object.kind === "Pod" && object.apiVersion === "v1") return object as unknown as Pod;
  const { namespace = "" } = object.metadata;
  const search = { namespace, selector: selectorOf(object), timeoutMs, compare: compareByActivity };
  const [pod] = await matchingPods(context, search);
  if (!pod) throw new Error("no pods found");
  return pod;
}

function selectorOf(object: DynamicObject): string {
  try {
    return podSelectorOf(object);
  } catch (error) {
    const why = (error as Error).message;
    throw new Error(`cannot attach to ${goType(object)}: ${why}`, { cause: error });
  }
}

/** Whether all containers of a pod have ended. */
export const isCompleted = ({ status }: Pod): boolean =>
  status?.phase === "Succeeded" || status?.phase === "Failed";
