import type { Pod } from "../../../../api/core/v1/pod/pod.ts";
import { DeadlineExceeded, withDeadline } from "../../../../base/clock.ts";
import { durationFlag } from "../../../../cli/flag.ts";
import type { DynamicObject } from "../../../../client/resource-kind.ts";
import {
  formatLabelSelector,
  type LabelSelectorObject,
  labelSelector,
  selectorFromSet,
} from "../../../../schema/selectors/label-selector.ts";
import type { CommandContext } from "../../../program/kubectl-command.ts";
import { helper } from "../../../resource/helper.ts";
import { knownKinds } from "../known-kinds.ts";

/** How long a command waits for the first pod of a workload. */
export const podRunningTimeoutFlags = (defaultMs: number) => ({
  "pod-running-timeout": durationFlag({
    default: defaultMs,
    usage:
      "The length of time (like 5s, 2m, or 3h, higher than zero) to wait until at least one pod is running",
  }),
});

/** The value of the flag; it must be more than nothing. */
export function podRunningTimeout(flags: { readonly "pod-running-timeout": number }): number {
  const ms = flags["pod-running-timeout"];
  if (ms <= 0) throw new Error("--pod-running-timeout must be higher than zero");
  return ms;
}

/** The name of an object's type in Go, as some messages have it. */
export const goType = ({ apiVersion, kind }: Pick<DynamicObject, "apiVersion" | "kind">): string =>
  `*${apiVersion.split("/").at(-1)}.${kind}`;

/** The selector of the pods that a workload or a service has, as text; throws if it has none. */
export function podSelectorOf(object: DynamicObject): string {
  const { selector } = (object.spec ?? {}) as { readonly selector?: unknown };
  const [group = ""] = object.apiVersion.includes("/") ? object.apiVersion.split("/") : [];
  switch (`${group}/${object.kind}`) {
    case "apps/ReplicaSet":
    case "apps/StatefulSet":
    case "apps/DaemonSet":
    case "apps/Deployment":
    case "batch/Job":
      return selectorText(selector as LabelSelectorObject | undefined);
    case "/ReplicationController":
      return setText(selector);
    case "/Service":
      if (Object.keys((selector ?? {}) as object).length === 0)
        throw new Error(
          `invalid service '${object.metadata.name}': Service is defined without a selector`,
        );
      return setText(selector);
    default:
      throw new Error(`selector for ${goType(object)} not implemented`);
  }
}

const setText = (labels: unknown): string =>
  formatLabelSelector(selectorFromSet(labels as Readonly<Record<string, string>> | undefined));

function selectorText(selector: LabelSelectorObject | undefined): string {
  try {
    return formatLabelSelector(labelSelector(selector));
  } catch (error) {
    throw new Error(`invalid label selector: ${(error as Error).message}`, { cause: error });
  }
}

interface PodSearch {
  readonly namespace: string;
  readonly selector: string;
  readonly timeoutMs: number;
  compare(a: Pod, b: Pod): number;
}

/** The pods that match, in order; waits for the first one if there is none. */
export async function matchingPods(
  { factory, signal }: Pick<CommandContext, "factory" | "signal">,
  { namespace, selector, timeoutMs, compare }: PodSearch,
): Promise<readonly Pod[]> {
  const labelSelector = selector || undefined;
  const requests = helper(await factory.client(), knownKinds.pod, { signal });
  const list = await requests.list(namespace, { labelSelector });
  const pods = (list.items ?? []) as readonly Pod[];
  if (pods.length > 0) return pods.toSorted(compare);
  const { resourceVersion } = list.metadata as { readonly resourceVersion?: string };
  const { clock } = factory;
  try {
    return await withDeadline({ clock, ms: timeoutMs, signal }, async (signal) => {
      const watching = helper(await factory.client(), knownKinds.pod, { signal });
      const selected = { labelSelector, resourceVersion };
      for await (const event of watching.watch(namespace, selected)) {
        if (event.type === "DELETED" || event.type === "BOOKMARK") continue;
        return [event.object as unknown as Pod];
      }
      throw new Error("watch closed before UntilWithoutRetry timeout");
    });
  } catch (error) {
    if (!(error instanceof DeadlineExceeded)) throw error;
    throw new Error("timed out waiting for the condition", { cause: error });
  }
}
