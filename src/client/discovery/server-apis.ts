import type { APIGroup, APIResource, APIResourceList } from "../../api/meta/v1/discovery.ts";
import type { ResourceKind } from "../resource-kind.ts";

/** What a server serves, as far as it could be learned. */
export interface ServerApis {
  /** The core group first, then the others as the server orders them. */
  readonly groups: readonly ApiGroup[];
  /** Of all groups and versions, in their order. */
  readonly resources: readonly ApiResource[];
  /** Why the resources of a version are not known, by `GROUP/VERSION`: nobody answers for it just now. */
  readonly failures: ReadonlyMap<string, Error>;
  /** Whether some of it was kept from earlier, and not asked of the server now. */
  readonly isFromCache: boolean;
}

export interface ApiGroup {
  /** Empty for the core group. */
  readonly name: string;
  /** The best first. */
  readonly versions: readonly string[];
  readonly preferredVersion: string;
}

/** A resource in one version; `dynamicKind` makes a kind of it. */
export interface ApiResource
  extends Pick<ResourceKind, "group" | "version" | "kind" | "plural" | "scope"> {
  readonly singular: string;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: readonly ApiSubresource[];
  /** Changes when objects are stored in another version; not every server tells it. */
  readonly storageVersionHash?: string | undefined;
}

/** A part of a resource, and the kind in which it is spoken to. */
export interface ApiSubresource {
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

/** A group as a server lists it. */
export function apiGroup({ name = "", versions, preferredVersion }: APIGroup): ApiGroup {
  const names = (versions ?? []).map(({ version = "" }) => version);
  return { name, versions: names, preferredVersion: preferredVersion?.version ?? names[0] ?? "" };
}

/** The resources of a version with what belongs to each, as a server lists them one after the other. */
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

/** Each resource once: in its group's preferred version, or in the first that has it. */
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

/** That not all could be learned, which may be why something is not known; undefined where all was. */
export function incomplete({ failures }: Pick<ServerApis, "failures">): Error | undefined {
  if (failures.size === 0) return undefined;
  const list = [...failures].map(([at, { message }]) => `${at}: ${message}`).sort();
  return new Error(`unable to retrieve the complete list of server APIs: ${list.join(", ")}`);
}

/** Group and version of what objects call their `apiVersion`. */
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
    // The kind of a resource is of the version that it is served in, whatever the entry says.
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
