import type {
  APIGroup,
  APIGroupList,
  APIResource,
  APIResourceList,
} from "../../api/meta/v1/discovery.ts";

/** Where documents of discovery are kept between one process and the next. */
export interface DiscoveryCache {
  /** A document that is not too old; undefined where there is none that can be read. */
  read(name: string): Promise<unknown>;
  /** Keeps a document; that it cannot be kept is no fault. */
  write(name: string, document: object): Promise<void>;
}

/** The names of the documents, which are those of kubectl's files. */
export const groupsDocument = "servergroups.json";
export const resourcesDocument = (groupVersion: string): string =>
  `${groupVersion}/serverresources.json`;

/** A list of groups that was kept; undefined where it is none, or not a whole one. */
export function keptGroups(value: unknown): APIGroupList | undefined {
  const { kind, groups } = (value ?? {}) as Partial<APIGroupList>;
  const isWhole = kind === "APIGroupList" && Array.isArray(groups) && groups.every(isGroup);
  return isWhole ? (value as APIGroupList) : undefined;
}

/** A list of a version's resources that was kept; undefined where it is none, or another's. */
export function keptResources(value: unknown, groupVersion: string): APIResourceList | undefined {
  const list = (value ?? {}) as Partial<APIResourceList>;
  const isWhole =
    list.kind === "APIResourceList" &&
    list.groupVersion === groupVersion &&
    Array.isArray(list.resources) &&
    list.resources.every(isResource);
  return isWhole ? (value as APIResourceList) : undefined;
}

// Go writes a list without items as null.
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
