import type { Pod } from "../../../../api/core/v1/pod/pod.ts";
import { quote } from "../../../../schema/values/quote.ts";
import type { Output } from "../../../program/io.ts";

/** A container of a pod, of any of its three lists. */
export interface NamedContainer {
  readonly name: string;
  readonly list: "containers" | "initContainers" | "ephemeralContainers";
  readonly tty: boolean;
  readonly stdin: boolean;
}

/** The annotation that names the container which commands use if none is given. */
export const defaultContainerAnnotation = "kubectl.kubernetes.io/default-container";

/** The container of this name; undefined if the pod has none. */
export function findContainer({ spec }: Pod, name: string): NamedContainer | undefined {
  for (const list of ["containers", "initContainers", "ephemeralContainers"] as const) {
    const found = spec?.[list]?.find((one) => one.name === name);
    if (found) return { name, list, tty: found.tty === true, stdin: found.stdin === true };
  }
  return undefined;
}

/** The names of all containers, as messages list them. */
function containerNames({ spec }: Pod): string {
  return [
    ...(spec?.containers ?? []).map(({ name }) => name),
    ...(spec?.ephemeralContainers ?? []).map(({ name }) => `${name} (ephem)`),
    ...(spec?.initContainers ?? []).map(({ name }) => `${name} (init)`),
  ].join(", ");
}

/** Whether a pod has more than its one container. */
export const hasSeveralContainers = ({ spec }: Pod): boolean =>
  [spec?.containers, spec?.initContainers, spec?.ephemeralContainers].flatMap((list) => list ?? [])
    .length > 1;

/** The error of a container that the pod does not have. */
export const invalidContainer = (pod: Pod, name: string): Error =>
  new Error(
    `container ${name} is not valid for pod ${pod.metadata.name} out of: ${containerNames(pod)}`,
  );

/** The line that says which container was chosen. */
export const defaultedText = (pod: Pod, name: string): string =>
  `Defaulted container ${quote(name)} out of: ${containerNames(pod)}\n`;

/** The container of a name, that of the annotation, or the first, which is printed unless the output is absent. */
export function chooseContainer(pod: Pod, name: string, warn?: Output | undefined): NamedContainer {
  const { namespace = "", name: podName = "", annotations } = pod.metadata;
  const [first] = pod.spec?.containers ?? [];
  if (!first) throw new Error(`pod ${namespace}/${podName} does not have any containers`);
  const wanted = name || annotations?.[defaultContainerAnnotation] || "";
  if (wanted === "" && hasSeveralContainers(pod)) warn?.write(defaultedText(pod, first.name ?? ""));
  const container = findContainer(pod, wanted || (first.name ?? ""));
  if (!container) throw invalidContainer(pod, wanted);
  return container;
}
