import type {
  APIGroup,
  APIGroupList,
  APIResource,
  APIResourceList,
} from "../../api/meta/v1/discovery.ts";

/** Stores discovery documents, so that later processes need not request them again. */
export interface DiscoveryCache {
  /** Returns a stored document; undefined if there is none, it is too old or it cannot be read. */
  read(name: string): Promise<unknown>;
  /** Stores a document; failures are ignored, because the cache is optional. */
  write(name: string, document: object): Promise<void>;
}

/** The names of the documents, which are also the file names that kubectl uses. */
export const groupsDocument = "servergroups.json";
export const resourcesDocument = (groupVersion: string): string =>
  `${groupVersion}/serverresources.json`;

/** Checks a cached list of groups; undefined if it is not a complete one. */
export function keptGroups(value: unknown): APIGroupList | undefined {
  const { kind, groups } = (value ?? {}) as Partial<APIGroupList>;
  const isWhole = kind === "APIGroupList" && Array.isArray(groups) && groups.every(isGroup);
  return isWhole ? (value as APIGroupList) : undefined;
}

/** Checks a cached list of resources; undefined if it is invalid or of another version. */
export function keptResources(value: unknown, groupVersion: string): APIResourceList | undefined {
  const list = (value ?? {}) as Partial<APIResourceList>;
  const isWhole =
    list.kind === "APIResourceList" &&
    list.groupVersion === groupVersion &&
    Array.isArray(list.resources) &&
    list.resources.every(isResource);
  return isWhole ? (value as APIResourceList) : undefined;
}

// Go encodes an empty list as null.
const isList = (value: unknown): boolean => value === null || Array.isArray(value);

const isGroup = (group: Partial<APIGroup> | null): boolean =>
  typeof group?.name === "string" &&
  isList(group.versions) &&
  (group.versions ?? []).every((entry: Partial<APIGroup["versions"][number]> | null) => {
    return typeof entry?.groupVersion === "string" && typeof entry.version === "string";
  });

const isResource = (resource: Partial<APIResource> | null): boolean =>
  typeof resource?.name === "string" &&
  typeof resource.kind === "string" &&
  isList(resource.verbs) &&
  isList(resource.shortNames ?? null) &&
  isList(resource.categories ?? null);
