import type { FieldSpec } from "../config/field-spec.ts";
import { applyFieldSpec, setMember, setString } from "../filters/apply-field-spec.ts";
import { type ImageChange, setImages } from "../filters/image.ts";
import { type NamespaceChange, setNamespace } from "../filters/namespace.ts";
import { KustomizeError } from "../kustomize-error.ts";
import { tags, type YamlNode } from "../nodes/yaml-node.ts";
import { buildAnnotation } from "../resources/build-annotations.ts";
import { emptyGvk, gvkText, isSelected } from "../resources/gvk.ts";
import { sameId } from "../resources/res-id.ts";
import { resourceText } from "../resources/res-map.ts";
import type { Transformer } from "./plugin.ts";

/** Sets labels or annotations in the fields that hold any. */
export function mapTransformer(
  values: ReadonlyMap<string, string>,
  fieldSpecs: readonly FieldSpec[],
): Transformer {
  const names = [...values.keys()].toSorted();
  return {
    transform: (map) => {
      for (const { node } of map.resources) {
        if (node === undefined) continue;
        for (const name of names) {
          const set = setMember(name, values.get(name) ?? "");
          for (const spec of fieldSpecs) {
            applyFieldSpec(node, spec, { set, createKind: "mapping", createTag: tags.map });
          }
        }
      }
    },
  };
}

/** Puts a text in front of, or behind, the names of objects. */
export function affixTransformer(
  where: "prefix" | "suffix",
  affix: string,
  fieldSpecs: readonly FieldSpec[],
): Transformer {
  const annotation = where === "prefix" ? buildAnnotation.prefixes : buildAnnotation.suffixes;
  const set = (node: YamlNode): void =>
    setString(where === "prefix" ? affix + node.value : node.value + affix)(node);
  return {
    transform: (map) => {
      for (const resource of map.resources) {
        const id = resource.originalId;
        const { node } = resource;
        if (node === undefined || keptNames.some((kept) => isSelected(id, kept))) continue;
        for (const spec of fieldSpecs.filter((one) => isSelected(id, one))) {
          if (spec.path === "metadata/name") {
            resource.appendTo(annotation, affix);
            if (affix !== "") resource.storePreviousId();
          }
          applyFieldSpec(node, spec, { set, createKind: "scalar", createTag: tags.string });
        }
      }
    },
  };
}

/** Kinds whose names mean something elsewhere. */
const keptNames = [
  { ...emptyGvk, kind: "CustomResourceDefinition" },
  { ...emptyGvk, group: "apiregistration.k8s.io", kind: "APIService" },
  { ...emptyGvk, kind: "Namespace" },
];

/** Puts objects in a namespace. */
export function namespaceTransformer(change: NamespaceChange): Transformer {
  return {
    transform: (map) => {
      if (change.namespace === "") return;
      for (const resource of map.resources) {
        if (resource.isEmpty || resource.node === undefined) continue;
        resource.storePreviousId();
        setNamespace(resource.node, change);
        const { id } = resource;
        const matches = map.withId((other) => sameId(id, other));
        if (matches.length !== 1) {
          const conflict = `[${matches.map(resourceText).join(" ")}]`;
          throw new KustomizeError(`namespace transformation produces ID conflict: ${conflict}`);
        }
      }
    },
  };
}

/** Sets the number of replicas of the objects of a name. */
export function replicaTransformer(
  replica: { readonly name: string; readonly count: number },
  fieldSpecs: readonly FieldSpec[],
): Transformer {
  const set = setString(`${replica.count}`, tags.int);
  return {
    transform: (map) => {
      let found = false;
      for (const spec of fieldSpecs) {
        const matches = map.withAnyId((id) => id.name === replica.name && isSelected(id, spec));
        for (const { node } of matches) {
          found = true;
          if (node === undefined) continue;
          applyFieldSpec(node, spec, { set, createKind: "scalar", createTag: tags.int });
        }
      }
      if (!found) {
        const kinds = fieldSpecs.map(gvkText).join(" ");
        throw new KustomizeError(
          `resource with name ${replica.name} does not match a config with the following GVK [${kinds}]`,
        );
      }
    },
  };
}

/** Changes images. */
export const imageTransformer = (
  change: ImageChange,
  fieldSpecs: readonly FieldSpec[],
): Transformer => ({
  transform: (map) => {
    for (const { node } of map.resources) {
      if (node !== undefined) setImages(node, change, fieldSpecs);
    }
  },
});
