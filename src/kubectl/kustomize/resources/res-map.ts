import { KustomizeError } from "../kustomize-error.ts";
import { goJsonText } from "../nodes/go-json-text.ts";
import { member } from "../nodes/yaml-node.ts";
import { mergeData } from "./merge-data.ts";
import type { Origin } from "./origin.ts";
import {
  effectiveNamespace,
  noNamespace,
  type ResId,
  resIdSyntax,
  resIdText,
  sameId,
} from "./res-id.ts";
import type { Resource } from "./resource.ts";

/** The resources of a build, in order; no two have the same id. */
export class ResMap {
  #resources: Resource[];

  constructor(resources: readonly Resource[] = []) {
    this.#resources = [];
    for (const resource of resources) this.append(resource);
  }

  /** The resources as of now: changes of the map do not change the list. */
  get resources(): readonly Resource[] {
    return [...this.#resources];
  }

  append(resource: Resource): void {
    const { id } = resource;
    if (this.#resources.some((other) => sameId(other.id, id))) {
      throw new KustomizeError(
        `may not add resource with an already registered id: ${resIdText(id)}`,
      );
    }
    this.#resources.push(resource);
  }

  appendAll(other: ResMap): void {
    for (const resource of other.resources) this.append(resource);
  }

  /** Replaces the list, as sorting does. */
  reset(resources: readonly Resource[]): void {
    this.#resources = [...resources];
  }

  dropEmpty(): void {
    this.reset(this.#resources.filter((resource) => !resource.isEmpty));
  }

  /** Resources one of whose ids, present or previous, passes. */
  withAnyId(matches: (id: ResId) => boolean): Resource[] {
    return this.#resources.filter(
      (resource) => !resource.isEmpty && [...resource.previousIds, resource.id].some(matches),
    );
  }

  withId(matches: (id: ResId) => boolean): Resource[] {
    return this.#resources.filter((resource) => matches(resource.id));
  }

  /** The one resource that has or had an id. */
  byId(id: ResId): Resource {
    const found = this.withAnyId((other) => sameId(id, other));
    const [resource] = found;
    if (resource !== undefined && found.length === 1) return resource;
    const problem = found.length > 1 ? "multiple matches" : "no matches";
    const text = resIdText(id);
    throw new KustomizeError(
      `${problem} for Id ${text}; failed to find unique target for patch ${text}`,
    );
  }

  /** Takes in what a generator made, as its behavior says. */
  absorb(other: ResMap): void {
    for (const resource of other.resources) this.#absorb(resource);
  }

  #absorb(resource: Resource): void {
    const { id, behavior } = resource;
    const matches = this.withAnyId((other) => sameId(id, other));
    const [old] = matches;
    if (old === undefined) {
      if (behavior === "merge" || behavior === "replace") {
        throw new KustomizeError(`id ${resIdSyntax(id)} does not exist; cannot merge or replace`);
      }
      this.append(resource);
      return;
    }
    if (matches.length > 1) {
      const found = matches.map(resourceText).join(" ");
      throw new KustomizeError(
        `found multiple objects [${found}] that could accept merge of ${resIdText(id)}`,
      );
    }
    if (behavior !== "merge" && behavior !== "replace") {
      throw new KustomizeError(
        `id ${resIdSyntax(id)} exists; can not use behavior: '${behavior}', behavior must be merge or replace`,
      );
    }
    const origin = behavior === "merge" ? old.origin : undefined;
    resource.takeMetadataOf(old);
    if (behavior === "merge") mergeData(resource, old);
    if (origin !== undefined) resource.setOrigin(origin);
    this.#resources[this.#resources.indexOf(old)] = resource;
  }

  /** Says where resources come from, unless that is known. */
  addOrigin(origin: Origin | undefined): void {
    if (origin === undefined) return;
    for (const resource of this.#resources) {
      if (resource.origin === undefined) resource.setOrigin(origin);
    }
  }

  /** Notes a change of all resources; it is the origin of those that have none. */
  addTransformation(origin: Origin): void {
    for (const resource of this.#resources) {
      if (resource.origin === undefined) resource.setOrigin(origin);
      else resource.addTransformation(origin);
    }
  }

  /** What a resource could refer to: objects of its namespace, of none, and of its role binding's subjects. */
  referableBy(referrer: Resource): Resource[] {
    const { id } = referrer;
    const own = effectiveNamespace(id);
    if (own === noNamespace) return [...this.#resources];
    const subjects = subjectNamespaces(referrer);
    return this.#resources.filter((resource) => {
      const namespace = effectiveNamespace(resource.id);
      return namespace === noNamespace || namespace === own || subjects.has(resource.namespace);
    });
  }
}

/** A resource as messages print it. */
export const resourceText = (resource: Resource): string => goJsonText(resource.value);

function subjectNamespaces(referrer: Resource): Set<string> {
  const namespaces = new Set<string>();
  if (referrer.kind !== "RoleBinding") return namespaces;
  for (const subject of referrer.at("subjects")?.content ?? []) {
    const namespace = memberText(subject, "namespace");
    if (namespace !== undefined && memberText(subject, "kind") === "ServiceAccount") {
      namespaces.add(namespace);
    }
  }
  return namespaces;
}

function memberText(node: Parameters<typeof member>[0], name: string): string | undefined {
  return member(node, name)?.value;
}
