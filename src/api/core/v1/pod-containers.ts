import type { At } from "../../../schema/report.ts";
import type { Container } from "./container.ts";
import type { EphemeralContainer } from "./ephemeral-container.ts";
import type { PodSpec } from "./pod-spec.ts";

type Lists = Pick<PodSpec, "initContainers" | "containers" | "ephemeralContainers">;

/** Every container of a pod with its place: init containers first, ephemeral ones last. */
export function* containersWithPath(
  spec: Lists,
  at: At,
): Generator<readonly [container: Container | EphemeralContainer, at: At]> {
  for (const name of ["initContainers", "containers", "ephemeralContainers"] as const) {
    const here = at.child(name);
    for (const [i, container] of (spec[name] ?? []).entries()) yield [container, here.index(i)];
  }
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
