import { groupPriority } from "../documents/group-priorities.ts";
import type { AnyKind } from "./object.ts";

/** A group with its versions, the preferred one first, as discovery shows them. */
export interface ApiGroup {
  readonly name: string;
  readonly versions: readonly string[];
}

/** The kinds that a server serves, by their names. */
export class Resources {
  #declared: readonly AnyKind[];
  #kinds: readonly AnyKind[] = [];
  #groups: readonly ApiGroup[] = [];
  #byPath: ReadonlyMap<string, AnyKind> = new Map();
  #byKind: ReadonlyMap<string, AnyKind> = new Map();

  constructor(declared: readonly AnyKind[]) {
    this.#declared = declared;
    this.setCustom([]);
  }

  /** A copy for a forked server, whose custom kinds change independently. */
  fork(): Resources {
    const fork = new Resources([]);
    fork.#declared = this.#declared;
    fork.#kinds = this.#kinds;
    fork.#groups = this.#groups;
    fork.#byPath = this.#byPath;
    fork.#byKind = this.#byKind;
    return fork;
  }

  /** Replaces the custom kinds. Declared kinds come first. */
  setCustom(custom: readonly AnyKind[]): void {
    const kinds = [...this.#declared, ...custom];
    const by = (keyOf: (kind: AnyKind) => string) =>
      new Map([...kinds].reverse().map((kind) => [keyOf(kind), kind]));
    this.#kinds = kinds;
    this.#byPath = by(({ group, version, plural }) => `${group}/${version}/${plural}`);
    this.#byKind = by(({ group, version, kind }) => `${group}/${version}/${kind}`);
    this.#groups = groupsOf(kinds);
  }

  get kinds(): readonly AnyKind[] {
    return this.#kinds;
  }
  /** The kinds that are declared, and not defined by clients. */
  get declared(): readonly AnyKind[] {
    return this.#declared;
  }
  get groups(): readonly ApiGroup[] {
    return this.#groups;
  }

  find(group: string, version: string, plural: string): AnyKind | undefined {
    return this.#byPath.get(`${group}/${version}/${plural}`);
  }
  findKind(group: string, version: string, kind: string): AnyKind | undefined {
    return this.#byKind.get(`${group}/${version}/${kind}`);
  }
  /** The same among declared kinds only, whose versions can be converted. */
  findDeclared(group: string, version: string, kind: string): AnyKind | undefined {
    const found = this.findKind(group, version, kind);
    return found?.struct && found;
  }
  /** A kind by the group and version that its objects name, such as `apps/v1`. */
  findVersion(apiVersion: string, kind: string): AnyKind | undefined {
    const slash = apiVersion.indexOf("/");
    const group = apiVersion.slice(0, Math.max(slash, 0));
    return this.findKind(group, apiVersion.slice(slash + 1), kind);
  }
  /** Whether a group has declared kinds. */
  isDeclared(group: string): boolean {
    return this.#declared.some((kind) => kind.group === group);
  }
  /** The kinds of one version of a group, by plural. */
  of(group: string, version: string): readonly AnyKind[] {
    return this.kinds
      .filter((kind) => kind.group === group && kind.version === version)
      .sort((a, b) => (a.plural < b.plural ? -1 : 1));
  }
}

/** The subresources of a kind that this server can serve. */
export const servedSubresources = (kind: AnyKind): readonly string[] =>
  kind.subresources.filter(
    (name) => served.has(name) || kind.strategy.updates?.[name] !== undefined,
  );

const served: ReadonlySet<string> = new Set([
  ...["status", "scale", "binding", "eviction", "token"],
  ...["attach", "exec", "log", "portforward", "proxy"],
]);

/** By priority, then by name. */
function compareGroups(a: string, b: string): number {
  const [first, second] = [groupPriority(a), groupPriority(b)];
  return first === second ? (a < b ? -1 : 1) : second - first;
}

function groupsOf(kinds: readonly AnyKind[]): ApiGroup[] {
  const versions = new Map<string, Set<string>>();
  for (const { group, version } of kinds)
    versions.set(group, (versions.get(group) ?? new Set()).add(version));
  return [...versions]
    .sort(([a], [b]) => compareGroups(a, b))
    .map(([name, set]) => ({ name, versions: [...set].sort(newestFirst) }));
}

/** v2 before v1, stable before beta before alpha, and anything else after them by name. */
export function newestFirst(a: string, b: string): number {
  const [aIs, bIs] = [isVersion(a), isVersion(b)];
  if (!aIs || !bIs) return Number(bIs) - Number(aIs) || (a < b ? -1 : Number(a > b));
  const [aMajor, aStage, aMinor] = versionParts(a);
  const [bMajor, bStage, bMinor] = versionParts(b);
  return bStage - aStage || bMajor - aMajor || bMinor - aMinor;
}
const versionPattern = /^v(\d+)(?:(alpha|beta)(\d+))?$/;
const isVersion = (version: string): boolean => versionPattern.test(version);

function versionParts(version: string): [major: number, stage: number, minor: number] {
  const [, major = "0", stage = "", minor = "0"] = versionPattern.exec(version) ?? [];
  return [Number(major), stage === "" ? 2 : stage === "beta" ? 1 : 0, Number(minor)];
}
