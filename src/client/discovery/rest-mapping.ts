import type { ResourceKind } from "../resource-kind.ts";
import {
  ambiguousResource,
  noKindMatch,
  noResourceMatch,
  type PartialResource,
} from "./mapping-errors.ts";
import { type ApiResource, incomplete, type ServerApis } from "./server-apis.ts";

/** The result of a lookup: all names that a request path needs. */
export type Mapped = Pick<ResourceKind, "group" | "version" | "kind" | "plural" | "scope">;

/**
 * Looks up resources by name. If several match, the core group has priority, then the groups in the
 * server's order, each with its preferred version first.
 */
export interface RestMapping {
  /** Finds a resource by its plural or singular name; `group` may be a prefix of the group's name. */
  kindOf(resource: PartialResource): Mapped;
  /**
   * Like `kindOf`, but an ambiguous name is an error, as when it is the singular of one resource and the
   * plural of another.
   */
  resourceOf(resource: PartialResource): Mapped;
  /**
   * Finds a kind in the first of these versions that has it; without versions, in the one with the
   * highest priority.
   */
  mappingOf(kind: Pick<ResourceKind, "group" | "kind">, versions: readonly string[]): Mapped;
}

/** Builds the lookup tables of everything that a server serves. */
export function restMapping(apis: ServerApis): RestMapping {
  const versions = versionNames(apis);
  const order = priorities(apis, versions);

  return {
    kindOf(resource) {
      const name = resource.resource.toLowerCase();
      const found = versions.filter((at) => isMeant(at, resource) && at.byResource.has(name));
      const chosen = first(
        order,
        found.flatMap((at) => at.byResource.get(name) ?? []),
      );
      if (!chosen) throw noResourceMatch(resource);
      return chosen;
    },

    resourceOf(resource) {
      const name = resource.resource.toLowerCase();
      const found = versions
        .filter((at) => isMeant(at, resource))
        .flatMap(({ plurals }) =>
          plurals.filter(({ plural, singular }) => plural === name || singular === name),
        );
      if (found.length === 0) throw noResourceMatch(resource);
      const chosen = first(order, found);
      if (!chosen) throw ambiguousResource(resource, found.map(resourceName));
      return chosen;
    },

    mappingOf(kind, searched) {
      const wanted = searched.filter((version) => version !== "");
      const found = versions
        .filter(({ group }) => group === kind.group)
        .filter(({ version }) => wanted.length === 0 || wanted.includes(version))
        .flatMap(({ byKind }) => byKind.get(kind.kind) ?? []);
      const given = wanted.map((version) => ({ group: kind.group, version }));
      const chosen = first([...given, ...order], found);
      if (!chosen) throw noKindMatch(kind, searched, incomplete(apis));
      return chosen;
    },
  };
}

/** The names in one version of a group. */
interface VersionNames {
  readonly group: string;
  readonly version: string;
  /** By plural and by singular. */
  readonly byResource: ReadonlyMap<string, Mapped>;
  /** By kind, as it is and in lower case. */
  readonly byKind: ReadonlyMap<string, Mapped>;
  readonly plurals: readonly NamedResource[];
}

type NamedResource = Mapped & { readonly singular: string };

function versionNames({ groups, resources }: ServerApis): VersionNames[] {
  const byVersion = new Map<string, ApiResource[]>();
  for (const resource of resources) {
    const at = `${resource.group}/${resource.version}`;
    const found = byVersion.get(at);
    if (found) found.push(resource);
    else byVersion.set(at, [resource]);
  }
  return groups.flatMap(({ name: group, versions }) =>
    versions.flatMap((version) => {
      const found = byVersion.get(`${group}/${version}`);
      return found ? [namesOf({ group, version }, found)] : [];
    }),
  );
}

function namesOf(
  at: { readonly group: string; readonly version: string },
  resources: readonly ApiResource[],
): VersionNames {
  const byResource = new Map<string, Mapped>();
  const byKind = new Map<string, Mapped>();
  const plurals = new Map<string, NamedResource>();
  const add = (entry: NamedResource): void => {
    byResource.set(entry.singular, entry);
    byResource.set(entry.plural, entry);
    byKind.set(entry.kind, entry);
    plurals.set(entry.plural, entry);
  };
  for (const { kind, plural, singular, scope } of resources) {
    // Old servers send no singular name.
    const entry = { ...at, kind, plural, singular: singular || kind.toLowerCase(), scope };
    byKind.set(kind.toLowerCase(), entry);
    add(entry);
    add({ ...at, ...guessed(`${kind}List`), scope });
  }
  add({ ...at, ...guessed("List"), scope: "Cluster" });
  return { ...at, byResource, byKind, plurals: [...plurals.values()] };
}

/**
 * Like client-go, assume a list kind for each kind, with a guessed plural; servers reject requests for
 * it.
 */
function guessed(kind: string): Pick<NamedResource, "kind" | "plural" | "singular"> {
  const singular = kind.toLowerCase();
  return { kind, plural: `${singular}s`, singular };
}

const resourceName = ({ group, version, plural }: Mapped): PartialResource => ({
  group,
  version,
  resource: plural,
});

/** Whether a version matches: a group without a version may be a prefix. */
function isMeant(at: VersionNames, { group, version }: PartialResource): boolean {
  if (version !== "" && at.version !== version) return false;
  if (group === "") return true;
  return version === "" ? at.group.startsWith(group) : at.group === group;
}

/** One version of a group, or all of its versions. */
interface Priority {
  readonly group: string;
  readonly version?: string;
}

function priorities({ groups }: ServerApis, known: readonly VersionNames[]): Priority[] {
  const isKnown = ({ group, version }: Priority): boolean =>
    known.some((at) => at.group === group && at.version === version);
  const versions = groups.flatMap(({ name: group, versions: all, preferredVersion }) =>
    [preferredVersion, ...all.filter((version) => version !== preferredVersion)]
      .map((version) => ({ group, version }))
      .filter(isKnown),
  );
  const core = { group: "", version: "v1" };
  return [core, ...versions, ...groups.map(({ name: group }) => ({ group }))];
}

/**
 * Filters by one priority after the other until a single match is left; undefined if several are left.
 */
function first<M extends Mapped>(order: readonly Priority[], found: readonly M[]): M | undefined {
  let left = found;
  for (const { group, version } of order) {
    if (left.length <= 1) break;
    const matching = left.filter(
      (one) => one.group === group && (version === undefined || one.version === version),
    );
    if (matching.length > 0) left = matching;
  }
  return left.length === 1 ? left[0] : undefined;
}
