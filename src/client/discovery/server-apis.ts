import type { APIGroup, APIResource, APIResourceList } from "../../api/meta/v1/discovery.ts";
import type { ResourceKind } from "../resource-kind.ts";

/** The groups and resources that a server serves, as far as discovery succeeded. */
export interface ServerApis {
  /** The core group first, then the others in the server's order. */
  readonly groups: readonly ApiGroup[];
  /** The resources of all groups and versions, in the same order. */
  readonly resources: readonly ApiResource[];
  /**
   * Versions whose discovery failed, by `GROUP/VERSION`: for example, an aggregated server is
   * unavailable.
   */
  readonly failures: ReadonlyMap<string, Error>;
  /** Whether a part comes from the discovery cache and was not requested now. */
  readonly isFromCache: boolean;
}

export interface ApiGroup {
  /** Empty for the core group. */
  readonly name: string;
  /** In the server's order of preference. */
  readonly versions: readonly string[];
  readonly preferredVersion: string;
}

/** A resource in one version; `dynamicKind` creates a kind from it. */
export interface ApiResource
  extends Pick<ResourceKind, "group" | "version" | "kind" | "plural" | "scope"> {
  readonly singular: string;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: readonly ApiSubresource[];
  /** Changes with the version in which objects are stored; some servers do not send it. */
  readonly storageVersionHash?: string | undefined;
}

/** A subresource and the kind of its requests and responses. */
export interface ApiSubresource {
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

/** Decodes a group of a discovery document. */
export function apiGroup({ name = "", versions, preferredVersion }: APIGroup): ApiGroup {
  const names = (versions ?? []).map(({ version = "" }) => version);
  return { name, versions: names, preferredVersion: preferredVersion?.version ?? names[0] ?? "" };
}

/** Decodes the resources of a version and assigns each subresource to its resource. */
export function apiResources({ groupVersion = "", resources }: APIResourceList): ApiResource[] {
  const at = parseApiVersion(groupVersion);
  const subresources = new Map<string, ApiSubresource[]>();
  for (const entry of resources ?? []) {
    const [plural = "", ...rest] = (entry.name ?? "").split("/");
    if (rest.length === 0) continue;
    const found = subresources.get(plural) ?? [];
    subresources.set(plural, [...found, subresource(entry, rest.join("/"), at)]);
  }
  return (resources ?? [])
    .filter(({ name = "" }) => !name.includes("/"))
    .map((entry) => resource(entry, at, subresources.get(entry.name ?? "") ?? []));
}

/**
 * Returns each resource once: in its group's preferred version, else in the first version that has it.
 */
export function preferredResources({ groups, resources }: ServerApis): ApiResource[] {
  const preferred = new Map(groups.map((group) => [group.name, group.preferredVersion]));
  const chosen = new Map<string, ApiResource>();
  for (const resource of resources) {
    const { group, version, plural } = resource;
    const name = `${group}/${plural}`;
    if (!chosen.has(name) || version === preferred.get(group)) chosen.set(name, resource);
  }
  const kept = new Set(chosen.values());
  return resources.filter((resource) => kept.has(resource));
}

/**
 * The error that lists failed versions, which may be the cause of a missing resource; undefined if none
 * failed.
 */
export function incomplete({ failures }: Pick<ServerApis, "failures">): Error | undefined {
  if (failures.size === 0) return undefined;
  const list = [...failures].map(([at, { message }]) => `${at}: ${message}`).sort();
  return new Error(`unable to retrieve the complete list of server APIs: ${list.join(", ")}`);
}

/** Splits an `apiVersion` into group and version. */
export function parseApiVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf("/");
  return slash < 0
    ? { group: "", version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

type At = Pick<ResourceKind, "group" | "version">;

function resource(
  entry: APIResource,
  at: At,
  subresources: readonly ApiSubresource[],
): ApiResource {
  const { name = "", singularName = "", kind = "", storageVersionHash } = entry;
  return {
    // A resource belongs to the version under which it is served, whatever its entry says.
    ...at,
    kind,
    plural: name,
    singular: singularName,
    scope: entry.namespaced ? "Namespaced" : "Cluster",
    verbs: entry.verbs ?? [],
    shortNames: entry.shortNames ?? [],
    categories: entry.categories ?? [],
    subresources,
    ...(storageVersionHash && { storageVersionHash }),
  };
}

function subresource(entry: APIResource, name: string, at: At): ApiSubresource {
  const { group = "", version, kind = "", verbs } = entry;
  return { name, ...(version ? { group, version } : at), kind, verbs: verbs ?? [] };
}
