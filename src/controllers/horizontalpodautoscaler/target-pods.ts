import type { HorizontalPodAutoscaler } from "../../api/autoscaling/v2/horizontal-pod-autoscaler.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { errorMessage } from "../../base/error-message.ts";
import { keyOf } from "../../client/resource-kind.ts";
import {
  nothing,
  parseLabelSelector,
  type Selector,
} from "../../schema/selectors/label-selector.ts";
import type { AutoscalerContext } from "./autoscaler-context.ts";

/** Why an autoscaler cannot know its pods. */
interface SelectorFault {
  /** The reason of the event, and that of the condition. */
  readonly event: string;
  readonly reason: string;
  readonly message: string;
  readonly error: string;
}

/** The pods that a selector text names, unless another autoscaler scales some of them, too. */
export function targetPods(
  autoscaler: HorizontalPodAutoscaler,
  text: string,
  { pods, selecting }: Pick<AutoscalerContext, "pods" | "selecting">,
): { readonly pods: readonly Pod[] } | SelectorFault {
  const { namespace = "" } = autoscaler.metadata;
  if (text === "")
    return {
      event: "SelectorRequired",
      reason: "InvalidSelector",
      message: "the HPA target's scale is missing a selector",
      error: "selector is required",
    };
  let selector: Selector = nothing;
  try {
    selector = parseLabelSelector(text);
  } catch (cause) {
    const error = `couldn't convert selector into a corresponding internal selector object: ${errorMessage(cause)}`;
    return { event: "InvalidSelector", reason: "InvalidSelector", message: error, error };
  }
  selecting.set(keyOf(autoscaler), selector);
  const selected = pods(namespace, selector);
  const others = selecting.of(namespace, selected);
  if (others.length <= 1) return { pods: selected };
  const keys = others.map((key) => `{${key.name} ${key.namespace}}`).join(" ");
  const error = `pods by selector ${text} are controlled by multiple HPAs: [${keys}]`;
  return { event: "AmbiguousSelector", reason: "AmbiguousSelector", message: error, error };
}
