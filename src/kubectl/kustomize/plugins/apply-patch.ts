import type { SchemaSource } from "../config/merge-schema.ts";
import { mergeNodes } from "../nodes/merge-nodes.ts";
import { buildAnnotation } from "../resources/build-annotations.ts";
import { sameId } from "../resources/res-id.ts";
import { ResMap } from "../resources/res-map.ts";
import type { Resource } from "../resources/resource.ts";

/** Merges a patch into an object. Name and kind stay unless the patch may change them. */
export function applyPatch(target: Resource, patch: Resource, schemas: SchemaSource): void {
  const { name, namespace, kind, node } = target;
  const mayRename = patch.isEnabled(buildAnnotation.allowNameChange);
  const mayChangeKind = patch.isEnabled(buildAnnotation.allowKindChange);
  if (mayRename || mayChangeKind) target.storePreviousId();
  if (node === undefined || patch.node === undefined) return;
  if (mergeNodes(node, patch.node, schemas) === undefined) target.node = undefined;
  if (target.isEmpty) return;
  if (!mayChangeKind) target.setKind(kind);
  if (!mayRename) target.setName(name);
  target.setNamespace(namespace);
}

/** Merges a patch into all objects that were selected, whatever their names are. */
export function applyPatchToAll(
  map: ResMap,
  patch: Resource,
  { selected, schemas }: { selected: readonly Resource[]; schemas: SchemaSource },
): void {
  const ids = selected.map(({ id }) => id);
  const left: Resource[] = [];
  for (const resource of map.resources) {
    const { id } = resource;
    if (ids.some((other) => sameId(other, id) && other.namespace === id.namespace)) {
      const own = patch.copy();
      own.takeMetadataOf(patch);
      own.setGvk(resource.gvk);
      own.setKind(patch.kind);
      applyPatch(resource, own, schemas);
    }
    if (!resource.isEmpty) left.push(resource);
  }
  map.reset(new ResMap(left).resources);
}
