import { APIService, type APIServiceSpec } from "../../api/apiregistration/v1/api-service.ts";
import { type RemoteApi, remoteApi } from "../aggregation/remote-api.ts";
import type { ApiObject } from "../objects/object.ts";
import type { ObjectReader } from "../objects/reader.ts";
import { type ApiGroup, newestFirst } from "../objects/resources.ts";
import type { CacheEvent, CacheWatcher, ResourceCache } from "../watch/watch-cache.ts";
import { customPriority, priorityOf } from "./group-priorities.ts";

/** The group versions that APIService objects register, for this server or others; follows the cache. */
export class RegisteredApis implements CacheWatcher {
  readonly #cache: ResourceCache | undefined;
  readonly #specs: Map<string, APIServiceSpec>;
  /** The APIs that another server serves, by the names of their APIServices. */
  readonly #remote: Map<string, RemoteApi>;
  /** Called with the name of a remote API after it was added, changed or removed. */
  onRemoteChange: ((name: string) => void) | undefined;
  #next = 0;

  /** A fork copies what its parent has read. */
  constructor(reader: ObjectReader, known?: RegisteredApis) {
    this.#specs = new Map(known ? known.#specs : []);
    this.#remote = new Map(known ? known.#remote : []);
    this.#cache = reader.cacheOf(APIService);
    if (!this.#cache) return;
    this.#next = this.#cache.endOfEvents;
    if (!known)
      for (const { object } of this.#cache.readable(this.#cache.prefix)) this.#take(object);
    this.#cache.watchers.add(this);
  }

  /** A version of a group that another server serves; undefined if none does. */
  remote(group: string, version: string): RemoteApi | undefined {
    return this.#remote.size === 0 ? undefined : this.#remote.get(`${version}.${group}`);
  }

  /** The APIs that other servers serve, by the names of their APIServices. */
  get allRemote(): ReadonlyMap<string, RemoteApi> {
    return this.#remote;
  }

  /** Whether this server serves a group, or a version of it. */
  isLocal(group: string, version?: string): boolean {
    if (version !== undefined) {
      const spec = this.#specs.get(`${version}.${group}`);
      return spec !== undefined && !spec.service;
    }
    return [...this.#specs.values()].some((spec) => spec.group === group && !spec.service);
  }

  /** The groups that are served or registered, in the order of discovery. */
  groups(served: readonly ApiGroup[]): ApiGroup[] {
    return registeredGroups([...this.#specs.values()], served);
  }

  changed(): void {
    const cache = this.#cache;
    for (; cache && this.#next < cache.endOfEvents; this.#next++) {
      const event = cache.eventAt(this.#next);
      if (event) this.#apply(event);
    }
  }

  end(): void {}

  #apply({ type, object }: CacheEvent): void {
    // An object that became unreadable keeps its last state.
    if (type !== "DELETED" && !object.isReadable) return;
    const name = object.key.slice(this.#cache?.prefix.length);
    const wasRemote = this.#remote.delete(name);
    this.#specs.delete(name);
    if (type !== "DELETED") this.#take(object.object);
    if (wasRemote || this.#remote.has(name)) this.onRemoteChange?.(name);
  }

  #take(object: ApiObject): void {
    const { metadata, spec } = object as APIService;
    const { name = "" } = metadata;
    this.#specs.set(name, spec);
    const remote = remoteApi(object as APIService);
    if (remote) this.#remote.set(name, remote);
  }
}

const own = "apiregistration.k8s.io";

/**
 * The groups that are registered, and those that are served but not registered yet: by the priority of their
 * first registration, then by name. The group of APIServices itself comes first.
 */
export function registeredGroups(
  specs: readonly APIServiceSpec[],
  served: readonly ApiGroup[],
): ApiGroup[] {
  const known = new Map<string, Registration>();
  for (const { name, versions } of served)
    for (const version of versions) {
      const priority = priorityOf(name, version) ?? customPriority;
      add(known, { group: name, version, ...priorities(name, priority) });
    }
  for (const { group = "", version = "", groupPriorityMinimum, versionPriority } of specs)
    add(known, { group, version, first: groupPriorityMinimum, second: versionPriority });
  const groups = new Map<string, Registration[]>();
  for (const registration of [...known.values()].sort(byGroup)) {
    const { group } = registration;
    groups.set(group, [...(groups.get(group) ?? []), registration]);
  }
  return Array.from(groups, ([name, registrations]) => ({
    name,
    versions: registrations.sort(byVersion).map(({ version }) => version),
  }));
}

interface Registration {
  readonly group: string;
  readonly version: string;
  /** The priority of the group. */
  readonly first: number;
  /** The priority of the version in it. */
  readonly second: number;
}

const priorities = (name: string, { group, version }: { group: number; version: number }) => ({
  first: name === own ? Number.POSITIVE_INFINITY : group,
  second: version,
});

const nameOf = ({ group, version }: Registration): string => `${version}.${group}`;

const add = (known: Map<string, Registration>, registration: Registration): void => {
  known.set(nameOf(registration), registration);
};

const byGroup = (a: Registration, b: Registration): number =>
  a.first === b.first ? (nameOf(a) < nameOf(b) ? -1 : 1) : b.first - a.first;

const byVersion = (a: Registration, b: Registration): number =>
  b.second - a.second || newestFirst(a.version, b.version);
