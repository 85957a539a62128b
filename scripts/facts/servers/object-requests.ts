import type { Step } from "../replay/recorded-case.ts";
import { isMembers, type Members, pick } from "../values.ts";
import type { Definition, Version } from "./manifests.ts";
import { type Mutation, mutations, sampleOf } from "./mutations.ts";

/** A request with a name. `{rv}` in its body is the object's resource version on the server. */
export interface NamedStep extends Step {
  readonly name: string;
  /** The object whose resource version is meant. */
  readonly object?: string;
}

/** The namespace in which objects are made. */
export const namespace = "compared";

const json = { "content-type": "application/json" };
const table = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json" };
const mergePatch = { "content-type": "application/merge-patch+json" };
const jsonPatch = { "content-type": "application/json-patch+json" };
const apply = { "content-type": "application/apply-patch+yaml" };
const validations = ["Strict", "Warn", "Ignore"];

/** The path under which the objects of a version are. */
export function collectionPath({ spec }: Definition, version: string): string {
  const within = spec.scope === "Namespaced" ? `/namespaces/${namespace}` : "";
  return `/apis/${spec.group}/${version}${within}/${spec.names.plural}`;
}

/** What is done with one object: created, read, changed, applied, and many of its mutations. */
export function objectRequests(
  definition: Definition,
  version: Version,
  given: Members,
  limit: number,
): readonly NamedStep[] {
  const collection = collectionPath(definition, version.name);
  const name = String(pick(given, "metadata.name") ?? "unnamed");
  const path = `${collection}/${name}`;
  const object = { ...given, metadata: cleaned(given.metadata) };
  const served = definition.spec.versions.filter((held) => held.served);
  const reads = served.flatMap(({ name: held }) => {
    const at = `${collectionPath(definition, held)}/${name}`;
    return [
      { name: `get as ${held}`, method: "GET", path: at },
      { name: `get table as ${held}`, method: "GET", path: at, headers: table },
    ];
  });
  const steps: readonly NamedStep[] = [
    {
      name: "create strictly",
      method: "POST",
      path: `${collection}?fieldValidation=Strict&dryRun=All`,
      body: object,
    },
    { name: "create", method: "POST", path: `${collection}?fieldManager=first`, body: object },
    { name: "create again", method: "POST", path: collection, body: object },
    ...reads,
    { name: "put", method: "PUT", path, object: path, body: versioned(labelled(object)) },
    { name: "put without version", method: "PUT", path, body: object },
    {
      name: "merge patch",
      method: "PATCH",
      path,
      headers: mergePatch,
      body: { metadata: { labels: { merged: "1" } } },
    },
    {
      name: "json patch",
      method: "PATCH",
      path,
      headers: jsonPatch,
      body: [{ op: "add", path: "/metadata/annotations", value: { a: "1" } }],
    },
    {
      name: "strategic patch",
      method: "PATCH",
      path,
      headers: { "content-type": "application/strategic-merge-patch+json" },
      body: {},
    },
    {
      name: "apply",
      method: "PATCH",
      path: `${path}?fieldManager=second`,
      headers: apply,
      body: object,
    },
    {
      name: "apply by force",
      method: "PATCH",
      path: `${path}?fieldManager=second&force=true`,
      headers: apply,
      body: labelled(object),
    },
    {
      name: "apply less",
      method: "PATCH",
      path: `${path}?fieldManager=second`,
      headers: apply,
      body: { ...object, spec: {} },
    },
    ...statusRequests(version, path, object),
    ...sampleOf(mutations(object), limit).map((mutation, i) =>
      mutationRequest({ collection, name, object, mutation }, i),
    ),
    ...reads,
    { name: "list tables", method: "GET", path: collection, headers: table },
    { name: "delete", method: "DELETE", path },
  ];
  return steps;
}

function statusRequests(
  { subresources }: Version,
  path: string,
  object: Members,
): readonly NamedStep[] {
  const status = object.status ?? { conditions: [], zzUnknown: 1, observedGeneration: 2 };
  return [
    {
      name: "put status",
      method: "PUT",
      path: `${path}/status`,
      object: path,
      body: versioned({ ...object, status }),
    },
    {
      name: "patch status",
      method: "PATCH",
      path: `${path}/status`,
      headers: mergePatch,
      body: { status },
    },
    ...(subresources?.scale
      ? [
          { name: "get scale", method: "GET", path: `${path}/scale` },
          {
            name: "patch scale",
            method: "PATCH",
            path: `${path}/scale?dryRun=All`,
            headers: mergePatch,
            body: { spec: { replicas: 3 } },
          },
        ]
      : []),
  ];
}

interface Mutated {
  readonly collection: string;
  readonly name: string;
  readonly object: Members;
  readonly mutation: Mutation;
}

/** Sends a mutation in one of four ways, each without storing it. */
function mutationRequest({ collection, name, mutation }: Mutated, i: number): NamedStep {
  const query = `dryRun=All&fieldValidation=${validations[Math.floor(i / 4) % 3]}`;
  const path = `${collection}/${name}`;
  const { what, object, patch } = mutation;
  switch (i % 4) {
    case 0: {
      const body = { ...object, metadata: { name: `${name}-m` } };
      return {
        name: `create with ${what}`,
        method: "POST",
        path: `${collection}?${query}`,
        headers: json,
        body,
      };
    }
    case 1:
      return {
        name: `put with ${what}`,
        method: "PUT",
        path: `${path}?${query}`,
        object: path,
        body: versioned(object),
      };
    case 2:
      return {
        name: `merge patch with ${what}`,
        method: "PATCH",
        path: `${path}?${query}`,
        headers: mergePatch,
        body: patch,
      };
    default:
      return {
        name: `apply with ${what}`,
        method: "PATCH",
        path: `${path}?${query}&fieldManager=third&force=true`,
        headers: apply,
        body: object,
      };
  }
}

function cleaned(metadata: unknown): Members {
  const { name, labels, annotations } = isMembers(metadata) ? metadata : {};
  return {
    name: name ?? "unnamed",
    ...(isMembers(labels) && { labels }),
    ...(isMembers(annotations) && { annotations }),
  };
}

const withMetadata = (object: Members, added: Members): Members => ({
  ...object,
  metadata: { ...(object.metadata as Members), ...added },
});
const versioned = (object: Members): Members => withMetadata(object, { resourceVersion: "{rv}" });
const labelled = (object: Members): Members => withMetadata(object, { labels: { changed: "yes" } });
