import type { AnyKind } from "../../objects/object.ts";
import type { Resources } from "../../objects/resources.ts";
import { storedKind } from "../../objects/stored.ts";

/**
 * The other resources through which the same objects, or the same subresource of them, can be reached: other
 * versions, and the same kind in another group. Versions of custom resources need not be served.
 */
export function equivalentResources(
  resources: Pick<Resources, "kinds">,
  kind: AnyKind,
  subresource: string,
): readonly AnyKind[] {
  const stored = storedKind(kind);
  const served = resources.kinds.filter((other) => storedKind(other) === stored);
  const all = new Set([...served, ...((kind.versions?.values() ?? []) as Iterable<AnyKind>)]);
  return [...all].filter(
    (other) => other !== kind && (subresource === "" || other.subresources.includes(subresource)),
  );
}
