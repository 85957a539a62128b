import type { At } from "../../../../schema/language/report.ts";
import type { Container } from "../container/container.ts";
import type { EphemeralContainer } from "../container/ephemeral-container.ts";
import type { PodSpec } from "./pod-spec.ts";

type Lists = Pick<PodSpec, "initContainers" | "containers" | "ephemeralContainers">;

type Placed = readonly [container: Container | EphemeralContainer, at: At];

/** Every container of a pod with its place: init containers first, ephemeral ones last. */
export function containersWithPath(spec: Lists, at: At): readonly Placed[] {
  const placed: Placed[] = [];
  for (const name of ["initContainers", "containers", "ephemeralContainers"] as const) {
    const containers = spec[name];
    if (!containers) continue;
    const here = at.child(name);
    for (const [i, container] of containers.entries()) placed.push([container, here.index(i)]);
  }
  return placed;
}

/** Every container of a pod, in that order. */
export const allContainers = ({
  initContainers = [],
  containers,
  ephemeralContainers = [],
}: Lists): readonly (Container | EphemeralContainer)[] => [
  ...initContainers,
  ...(containers ?? []),
  ...ephemeralContainers,
];
