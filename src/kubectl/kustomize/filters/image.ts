import { goRegexp } from "../../../schema/regexp/go-regexp.ts";
import type { FieldSpec } from "../config/field-spec.ts";
import { expectKind, getField, setScalar } from "../nodes/lookup.ts";
import { isMissing, membersOf, scalarNode, type YamlNode } from "../nodes/yaml-node.ts";
import { topText } from "../resources/metadata.ts";
import { applyFieldSpec } from "./apply-field-spec.ts";

/** What an image is replaced by. */
export interface ImageChange {
  readonly name: string;
  readonly newName: string;
  readonly newTag: string;
  readonly tagSuffix: string;
  readonly digest: string;
}

/** Changes images in the containers of an object, wherever it has any, and in the named fields. */
export function setImages(
  node: YamlNode,
  change: ImageChange,
  fieldSpecs: readonly FieldSpec[],
): void {
  if (topText(node, "kind") === "CustomResourceDefinition") return;
  const matches = imageMatcher(change.name);
  const set = (field: YamlNode): void => {
    expectKind(field, "scalar");
    if (!isMissing(field) && matches(field.value)) setImage(field, change);
  };
  visitContainers(node, set);
  for (const spec of fieldSpecs) applyFieldSpec(node, spec, { set });
}

function setImage(field: YamlNode, change: ImageChange): void {
  setScalar(field, scalarNode(changedImage(field.value, change)));
}

function imageMatcher(name: string): (image: string) => boolean {
  const pattern = goRegexp(`^${name}(:[a-zA-Z0-9_.{}-]*)?(@sha256:[a-zA-Z0-9_.{}-]*)?$`);
  return (image) => pattern.test(image);
}

function visitContainers(node: YamlNode, set: (field: YamlNode) => void): void {
  if (node.kind === "sequence") for (const item of node.content) visitContainers(item, set);
  for (const [key, value] of membersOf(node)) {
    visitContainers(value, set);
    if (key.value !== "containers" && key.value !== "initContainers") continue;
    if (value.kind !== "sequence") continue;
    for (const container of value.content) {
      const image = getField(container, "image");
      if (image !== undefined) set(image);
    }
  }
}

/** An image with another name, tag or digest. */
function changedImage(image: string, change: ImageChange): string {
  const parts = splitImage(image);
  let { tag, digest } = parts;
  if (change.newTag !== "" || change.digest !== "") {
    tag = change.newTag;
    digest = change.digest;
  } else if (change.tagSuffix !== "") {
    tag += change.tagSuffix;
    digest = "";
  }
  const name = change.newName || parts.name;
  return name + (tag === "" ? "" : `:${tag}`) + (digest === "" ? "" : `@${digest}`);
}

interface ImageParts {
  readonly name: string;
  readonly tag: string;
  readonly digest: string;
}

function splitImage(image: string): ImageParts {
  const slash = Math.max(image.indexOf("/"), 0);
  const at = image.indexOf("@", slash);
  const colon = image.indexOf(":", slash);
  if (colon < 0 && at < 0) return { name: image, tag: "", digest: "" };
  if (at >= 0 && (at < colon || colon < 0)) {
    return { name: image.slice(0, at), tag: "", digest: image.slice(at + 1) };
  }
  const end = at < 0 ? image.length : at;
  const tag = image.slice(colon + 1, end);
  return { name: image.slice(0, colon), tag, digest: at < 0 ? "" : image.slice(at + 1) };
}
