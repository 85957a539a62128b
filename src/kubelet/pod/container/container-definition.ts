import type { Container } from "../../../api/core/v1/container/container.ts";
import type { EphemeralContainer } from "../../../api/core/v1/container/ephemeral-container.ts";
import { fnv32a } from "../../../base/hashes/fnv32a.ts";
import type { ContainerStatus } from "../../../cri/runtime-types.ts";

/** The annotation of a container with the hash of its definition. */
export const hashAnnotation = "io.kubernetes.container.hash";

/** Whether a container was created from another definition. Runtimes need not know the image under its name in the pod. */
export function hasChanged(
  container: Container,
  { annotations, userSpecifiedImage }: ContainerStatus,
): boolean {
  const hash = annotations[hashAnnotation];
  if (hash === undefined) return userSpecifiedImage !== container.image;
  return hash !== containerHash(container);
}

/** The hash of what makes a container another one, equal to upstream's: its name and its image. */
export function containerHash({ name, image = "" }: Container | EphemeralContainer): string {
  const bytes = new TextEncoder().encode(JSON.stringify({ image, name }));
  // Upstream hashes the text in which Go prints these bytes.
  const text = `([]uint8)[${bytes.join(" ")}]`;
  return fnv32a(new TextEncoder().encode(text)).toString(16);
}
