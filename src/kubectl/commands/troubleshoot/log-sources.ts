import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import type { DynamicObject } from "../../../client/resource-kind.ts";
import { quote } from "../../../schema/values/quote.ts";
import type { CommandContext } from "../../program/kubectl-command.ts";
import { isList } from "../../resource/info.ts";
import {
  defaultContainerAnnotation,
  defaultedText,
  findContainer,
  hasSeveralContainers,
  invalidContainer,
} from "../shared/pods/pod-containers.ts";
import { compareForLogs } from "../shared/pods/pod-order.ts";
import { goType, matchingPods, podSelectorOf } from "../shared/pods/workload-pods.ts";

/** A container whose log is printed. */
export interface LogSource {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

export interface LogSourceOptions {
  /** Empty for the default of each pod. */
  readonly container: string;
  readonly allContainers: boolean;
  readonly allPods: boolean;
  readonly timeoutMs: number;
}

/** The containers whose logs an object has: those of a pod, a list of pods, or the pods of a workload. */
export async function logSources(
  context: Pick<CommandContext, "factory" | "signal" | "io">,
  object: DynamicObject,
  options: LogSourceOptions,
): Promise<readonly LogSource[]> {
  if (isList(object))
    return (object.items as unknown as readonly Pod[]).flatMap((pod) =>
      sourcesOfPod(context, pod, options),
    );
  if (object.kind === "Pod" && object.apiVersion === "v1")
    return sourcesOfPod(context, object as unknown as Pod, options);
  const pods = await podsOf(context, object, options.timeoutMs);
  const [first] = pods;
  if (!first) return [];
  if (options.allPods) return pods.flatMap((pod) => sourcesOfPod(context, pod, options));
  if (pods.length > 1)
    context.io.stderr.write(`Found ${pods.length} pods, using pod/${first.metadata.name}\n`);
  return sourcesOfPod(context, first, options);
}

function podsOf(
  context: Pick<CommandContext, "factory" | "signal">,
  object: DynamicObject,
  timeoutMs: number,
): Promise<readonly Pod[]> {
  const { namespace = "" } = object.metadata;
  let selector: string;
  try {
    selector = podSelectorOf(object);
  } catch (error) {
    const why = (error as Error).message;
    throw new Error(`cannot get the logs from ${goType(object)}: ${why}`, { cause: error });
  }
  return matchingPods(context, { namespace, selector, timeoutMs, compare: compareForLogs });
}

function sourcesOfPod(
  { io }: Pick<CommandContext, "io">,
  pod: Pod,
  { container, allContainers, allPods }: LogSourceOptions,
): readonly LogSource[] {
  const { namespace = "", name = "" } = pod.metadata;
  const source = (container: string): LogSource => ({ namespace, pod: name, container });
  if (allContainers) {
    const { initContainers, containers, ephemeralContainers } = pod.spec ?? {};
    return [initContainers, containers, ephemeralContainers]
      .flatMap((list) => list ?? [])
      .map((one) => source(one.name ?? ""));
  }
  let wanted = container;
  const annotated = pod.metadata.annotations?.[defaultContainerAnnotation] ?? "";
  if (wanted === "" && annotated !== "") {
    if (findContainer(pod, annotated)) wanted = annotated;
    else io.stderr.write(`Default container name ${quote(annotated)} not found in pod ${name}\n`);
  }
  if (wanted === "") {
    wanted = pod.spec?.containers?.[0]?.name ?? "";
    if (hasSeveralContainers(pod) && !allPods) io.stderr.write(defaultedText(pod, wanted));
  }
  if (!findContainer(pod, wanted)) throw invalidContainer(pod, wanted);
  return [source(wanted)];
}
