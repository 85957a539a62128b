import type { ResourceKind } from "../resource-kind.ts";
import {
  ambiguousResource,
  noKindMatch,
  noResourceMatch,
  type PartialResource,
} from "./mapping-errors.ts";
import { type ApiResource, incomplete, type ServerApis } from "./server-apis.ts";

/** What a name stands for: all that a path needs. */
export type Mapped = Pick<ResourceKind, "group" | "version" | "kind" | "plural" | "scope">;

/**
 * Which resource is meant by which name. Where several are, the core group comes first, then the
 * groups in the server's order, each with its preferred version first.
 */
export interface RestMapping {
  /** What a plural or singular name stands for; a group may be given by its beginning. */
  kindOf(resource: PartialResource): Mapped;
  /** The same for the resource alone, which a name that is one's singular and another's plural is not. */
  resourceOf(resource: PartialResource): Mapped;
  /** What a kind stands for in the first of the versions that has it; in the best where none is given. */
  mappingOf(kind: Pick<ResourceKind, "group" | "kind">, versions: readonly string[]): Mapped;
}

/** The names of all that is served. */
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

/** The names that one version of a group has. */
interface VersionNames {
  readonly group: string;
  readonly version: string;
  /** By plural and singular. */
  readonly byResource: ReadonlyMap<string, Mapped>;
  /** By the kind, also in lower case. */
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
    // Old servers do not tell the singular.
    const entry = { ...at, kind, plural, singular: singular || kind.toLowerCase(), scope };
    byKind.set(kind.toLowerCase(), entry);
    add(entry);
    add({ ...at, ...guessed(`${kind}List`), scope });
  }
  add({ ...at, ...guessed("List"), scope: "Cluster" });
  return { ...at, byResource, byKind, plurals: [...plurals.values()] };
}

/** Lists are kinds whose names clients have always guessed; servers then say that there are none. */
function guessed(kind: string): Pick<NamedResource, "kind" | "plural" | "singular"> {
  const singular = kind.toLowerCase();
  return { kind, plural: `${singular}s`, singular };
}

const resourceName = ({ group, version, plural }: Mapped): PartialResource => ({
  group,
  version,
  resource: plural,
});

/** Whether a version can be meant: a group that stands alone may be the beginning of one. */
function isMeant(at: VersionNames, { group, version }: PartialResource): boolean {
  if (version !== "" && at.version !== version) return false;
  if (group === "") return true;
  return version === "" ? at.group.startsWith(group) : at.group === group;
}

/** A version of a group, or all of it. */
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

/** The only one, or what is left when each priority that some have has kept those that have it. */
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
