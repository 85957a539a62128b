import { toYaml } from "../../../schema/yaml/yaml.ts";
import { clearField, getField, lookup } from "../nodes/lookup.ts";
import { nodeValue } from "../nodes/node-value.ts";
import { isEmpty, member, membersOf, textOf, type YamlNode } from "../nodes/yaml-node.ts";
import {
  buildAnnotation,
  buildAnnotations,
  originAnnotation,
  transformationsAnnotation,
} from "./build-annotations.ts";
import { apiVersionOf, type Gvk, parseApiVersion } from "./gvk.ts";
import {
  metadataMap,
  metadataText,
  setMetadataEntry,
  setMetadataMap,
  setText,
  topText,
} from "./metadata.ts";
import { type Origin, originsText, originText, readOrigin, readOrigins } from "./origin.ts";
import { effectiveNamespace, type ResId, resIdText } from "./res-id.ts";

/** An object of a build. What happened to it is remembered in annotations until the build ends. */
export class Resource {
  /** Undefined once a patch has deleted the object. */
  node: YamlNode | undefined;
  /** The variables whose values are taken from this object. */
  readonly variables: string[] = [];

  constructor(node: YamlNode) {
    this.node = node;
  }

  get #root(): YamlNode {
    if (this.node === undefined) throw new TypeError("a deleted resource was used");
    return this.node;
  }

  get isEmpty(): boolean {
    return isEmpty(this.node);
  }

  get gvk(): Gvk {
    return { ...parseApiVersion(topText(this.#root, "apiVersion")), kind: this.kind };
  }

  get kind(): string {
    return topText(this.#root, "kind");
  }

  get apiVersion(): string {
    return topText(this.#root, "apiVersion");
  }

  get name(): string {
    return metadataText(this.#root, "name");
  }

  get namespace(): string {
    return metadataText(this.#root, "namespace");
  }

  get annotations(): Map<string, string> {
    return metadataMap(this.#root, "annotations");
  }

  get labels(): Map<string, string> {
    return metadataMap(this.#root, "labels");
  }

  get id(): ResId {
    return { ...this.gvk, name: this.name, namespace: this.namespace };
  }

  /** The ids that the object had before it was renamed or moved, the first one first. */
  get previousIds(): ResId[] {
    return previousIds(this.#root);
  }

  /** The id that the object had at first. */
  get originalId(): ResId {
    return this.previousIds[0] ?? this.id;
  }

  copy(): Resource {
    const copy = new Resource(this.#root.copy());
    copy.variables.push(...this.variables);
    return copy;
  }

  setGvk(gvk: Gvk): void {
    this.setKind(gvk.kind);
    setText(this.#root, ["apiVersion"], apiVersionOf(gvk));
  }

  setKind(kind: string): void {
    setText(this.#root, ["kind"], kind);
  }

  setName(name: string): void {
    setText(this.#root, ["metadata", "name"], name);
  }

  setNamespace(namespace: string): void {
    if (namespace !== "") setText(this.#root, ["metadata", "namespace"], namespace);
    else {
      const metadata = getField(this.#root, "metadata");
      if (metadata !== undefined) clearField(metadata, "namespace");
    }
  }

  setAnnotations(annotations: ReadonlyMap<string, string>): void {
    setMetadataMap(this.#root, "annotations", annotations);
  }

  setLabels(labels: ReadonlyMap<string, string>): void {
    setMetadataMap(this.#root, "labels", labels);
  }

  isEnabled(annotation: string): boolean {
    return this.annotations.get(annotation) === "enabled";
  }

  enable(annotation: string): void {
    this.setAnnotations(this.annotations.set(annotation, "enabled"));
  }

  /** The values of an annotation that is a list. */
  listed(annotation: string): string[] {
    return this.annotations.get(annotation)?.split(",") ?? [];
  }

  appendTo(annotation: string, value: string): void {
    if (value === "") return;
    const values = [...this.listed(annotation), value].join(",");
    setMetadataEntry(this.#root, "annotations", [annotation, values]);
  }

  /** Remembers the id that the object has now. */
  storePreviousId(): void {
    const { id } = this;
    this.appendTo(buildAnnotation.previousNames, id.name);
    this.appendTo(buildAnnotation.previousNamespaces, effectiveNamespace(id));
    this.appendTo(buildAnnotation.previousKinds, id.kind);
  }

  addReferrer(id: ResId): void {
    this.appendTo(buildAnnotation.refBy, resIdText(id));
  }

  /** What a generator wants done with an object of the same id. */
  get behavior(): string {
    const behavior = this.annotations.get(buildAnnotation.behavior) ?? "";
    return ["create", "merge", "replace"].includes(behavior) ? behavior : "unspecified";
  }

  /** Takes over name, namespace, labels and annotations of the object that this one replaces. */
  takeMetadataOf(other: Resource): void {
    this.setLabels(new Map([...other.labels, ...this.labels]));
    const own = this.annotations;
    const theirs = other.annotations;
    const merged = new Map([...theirs, ...own]);
    for (const name of buildAnnotations) {
      const kept = theirs.get(name);
      if (kept === undefined) merged.delete(name);
      else merged.set(name, kept);
    }
    if (!own.has(buildAnnotation.needsHash)) merged.delete(buildAnnotation.needsHash);
    this.setAnnotations(merged);
    this.setName(other.name);
    this.setNamespace(other.namespace);
    this.variables.splice(0, this.variables.length, ...other.variables);
  }

  /** The texts of a map at the top of the object, such as `data`. */
  texts(field: string): Map<string, string> {
    const map = membersOf(member(this.#root, field));
    return new Map(map.map(([key, value]) => [key.value, textOf(value)]));
  }

  get origin(): Origin | undefined {
    return readOrigin(this.annotations.get(originAnnotation));
  }

  setOrigin(origin: Origin | undefined): void {
    const { annotations } = this;
    if (origin === undefined) annotations.delete(originAnnotation);
    else annotations.set(originAnnotation, originText(origin));
    this.setAnnotations(annotations);
  }

  addTransformation(origin: Origin): void {
    const { annotations } = this;
    const before = readOrigins(annotations.get(transformationsAnnotation));
    annotations.set(transformationsAnnotation, originsText([...before, origin]));
    this.setAnnotations(annotations);
  }

  clearTransformations(): void {
    const { annotations } = this;
    annotations.delete(transformationsAnnotation);
    this.setAnnotations(annotations);
  }

  removeBuildAnnotations(): void {
    const { annotations } = this;
    if (annotations.size === 0) return;
    for (const name of buildAnnotations) annotations.delete(name);
    this.setAnnotations(annotations);
  }

  get value(): unknown {
    return nodeValue(this.#root);
  }

  get yaml(): string {
    return toYaml(this.value);
  }

  /** The node at a path below the top. */
  at(...path: string[]): YamlNode | undefined {
    return lookup(this.#root, path);
  }
}

/** The ids that an object had, as its annotations tell. */
function previousIds(node: YamlNode): ResId[] {
  const annotations = metadataMap(node, "annotations");
  const names = annotations.get(buildAnnotation.previousNames)?.split(",");
  if (names === undefined) return [];
  const namespaces = (annotations.get(buildAnnotation.previousNamespaces) ?? "").split(",");
  const kinds = (annotations.get(buildAnnotation.previousKinds) ?? "").split(",");
  const type = parseApiVersion(topText(node, "apiVersion"));
  return names.map((name, i) => ({
    ...type,
    kind: kinds[i] ?? "",
    name,
    namespace: namespaces[i] ?? "",
  }));
}

/** The ids that an object has and had, the present one first. */
export function allIds(node: YamlNode): ResId[] {
  const present: ResId = {
    ...parseApiVersion(topText(node, "apiVersion")),
    kind: topText(node, "kind"),
    name: metadataText(node, "name"),
    namespace: metadataText(node, "namespace"),
  };
  return [present, ...previousIds(node)];
}
