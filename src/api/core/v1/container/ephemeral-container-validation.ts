import type { At } from "../../../../schema/language/report.ts";
import {
  type ContainerContext,
  validateContainer,
  validateImagePadding,
} from "./container-validation.ts";
import type { EphemeralContainer } from "./ephemeral-container.ts";

/** The rules of a pod's ephemeral containers. */
export function validateEphemeralContainers(
  ephemeralContainers: readonly EphemeralContainer[],
  at: At,
  context: ContainerContext,
): void {
  const { containers, initContainers } = context.spec;
  // A list that was left out is null where it is always written.
  const others = new Set(
    [...(containers ?? []), ...(initContainers ?? [])].map(({ name }) => name),
  );
  const names = new Set(others);
  for (const [i, container] of ephemeralContainers.entries()) {
    const here = at.index(i);
    const { name, targetContainerName } = container;
    validateContainer(container, here, context);
    validateImagePadding(container, here);
    if (names.has(name)) here.duplicate("name", name);
    names.add(name);
    if (targetContainerName && !others.has(targetContainerName))
      here.notFound("targetContainerName", targetContainerName);
    validateRestrictions(container, here);
  }
}

const refused = "cannot be set for an Ephemeral Container";

function validateRestrictions(container: EphemeralContainer, at: At): void {
  for (const field of notForEphemeral)
    if (isSet(container[field], field)) at.forbidden(field, refused);
  for (const [i, mount] of (container.volumeMounts ?? []).entries())
    for (const field of ["subPath", "subPathExpr"] as const)
      if (mount[field]) at.child("volumeMounts").index(i).forbidden(field, refused);
}

/** Fields that make a container part of what the pod is for. */
const notForEphemeral = [
  "ports",
  "resources",
  "resizePolicy",
  "restartPolicy",
  "restartPolicyRules",
  "livenessProbe",
  "readinessProbe",
  "startupProbe",
  "lifecycle",
] as const;

/** Whether a field was given, though it be empty; the resources are always there. */
function isSet(value: unknown, field: string): boolean {
  return field === "resources" ? Object.keys(value as object).length > 0 : value !== undefined;
}
