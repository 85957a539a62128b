import type { Container } from "../../api/core/v1/container/container.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { isSidecar } from "../pod/container/restart-policy.ts";

/** The containers of a pod in the order in which they get resources. */
export const containersInOrder = ({ spec }: Pick<Pod, "spec">): readonly Container[] => [
  ...(spec.initContainers ?? []),
  ...(spec.containers ?? []),
];

/** Whether a container is an init container that ends before others start: they can have its resources. */
export const endsBeforeOthers = ({ spec }: Pick<Pod, "spec">, container: Container): boolean =>
  !isSidecar(container) && (spec.initContainers ?? []).some(({ name }) => name === container.name);
