import type { APIGroup, APIResourceList } from "../../api/meta/v1/discovery.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { withDeadline } from "../../base/clock.ts";
import { abortable } from "../abortable.ts";
import type { CallOptions } from "../call-options.ts";
import type { Client } from "../client.ts";
import { decodeResponse } from "../decode-response.ts";
import { header, type TransportResponse } from "../transport.ts";
import {
  type DiscoveryCache,
  groupsDocument,
  keptGroups,
  keptResources,
  resourcesDocument,
} from "./discovery-cache.ts";
import {
  aggregatedDocument,
  discoveryAccept,
  isAggregated,
  plainDocument,
  type RootDocument,
} from "./discovery-documents.ts";
import { apiGroup, apiResources, type ServerApis } from "./server-apis.ts";

/** Finds out which groups and resources a server serves. */
export interface Discovery {
  /**
   * Returns all groups and resources. They are requested once. A caller that misses something passes the
   * result as `newerThan`; concurrent callers then share one new request.
   */
  apis(
    options?: CallOptions & { readonly newerThan?: ServerApis | undefined },
  ): Promise<ServerApis>;
  /** The latest result; undefined before the first request. */
  readonly known: ServerApis | undefined;
  /** Returns the version of the server. */
  version(options?: CallOptions): Promise<ServerVersion>;
}

export interface ServerVersion {
  readonly major: string;
  readonly minor: string;
  readonly gitVersion: string;
  readonly [name: string]: string;
}

export interface DiscoveryOptions {
  /** Shares discovery documents between processes, as kubectl's cache directory does. */
  readonly cache?: DiscoveryCache | undefined;
}

/** Creates a discovery client. */
export function createDiscovery(client: Client, { cache }: DiscoveryOptions = {}): Discovery {
  const root = rootReader(client);
  let current: ServerApis | undefined;
  let loading: Promise<ServerApis> | undefined;

  const begin = (mayReadCache: boolean): Promise<ServerApis> => {
    const sources = { root, plain: (at: string) => plainList(client, at), cache };
    const load = loadApis(sources, mayReadCache)
      .then((apis) => {
        current = apis;
        return apis;
      })
      .finally(() => {
        loading = undefined;
      });
    loading = load;
    return load;
  };

  return {
    get known() {
      return current;
    },

    async apis({ newerThan, signal } = {}) {
      signal?.throwIfAborted();
      if (loading) return abortable(loading, signal);
      if (current && current !== newerThan) return current;
      return abortable(begin(current === undefined), signal);
    },

    async version({ signal } = {}) {
      const response = await client.raw({ method: "GET", path: "/version", signal });
      return (await decodeResponse(response)) as ServerVersion;
    },
  };
}

/** Sends the requests of discovery. */
interface Sources {
  root(path: "/api" | "/apis"): Promise<RootDocument>;
  /** Requests the resources of a single version. */
  plain(groupVersion: string): Promise<APIResourceList>;
  readonly cache: DiscoveryCache | undefined;
}

async function loadApis(sources: Sources, mayReadCache: boolean): Promise<ServerApis> {
  const cache = mayReadCache ? sources.cache : undefined;
  let asked: Promise<RootDocument> | undefined;
  const live = (): Promise<RootDocument> => {
    asked ??= bothRoots(sources);
    return asked;
  };
  const kept = keptGroups(await cache?.read(groupsDocument))?.groups;
  const groups = kept ?? (await live()).groups;

  const failures = new Map<string, Error>();
  if (!kept) for (const [at, error] of (await live()).failures) failures.set(at, error);
  const learn = async (at: string): Promise<APIResourceList | undefined> => {
    const old = kept && keptResources(await cache?.read(resourcesDocument(at)), at);
    if (old) return old;
    try {
      const { resources, failures: known } = await live();
      const failure = known.get(at);
      if (failure) throw failure;
      const list = resources?.get(at) ?? (await sources.plain(at));
      await sources.cache?.write(resourcesDocument(at), list);
      return list;
    } catch (error) {
      failures.set(at, error as Error);
      return undefined;
    }
  };
  const lists = await Promise.all(versionsOf(groups).map(learn));
  if (!kept) await sources.cache?.write(groupsDocument, groupList(groups));
  return {
    groups: groups.map(apiGroup),
    resources: lists.flatMap((list) => (list ? apiResources(list) : [])),
    failures,
    isFromCache: kept !== undefined,
  };
}

const versionsOf = (groups: readonly APIGroup[]): string[] =>
  groups.flatMap(({ versions }) => (versions ?? []).map(({ groupVersion }) => groupVersion));

const groupList = (groups: readonly APIGroup[]): object => ({
  kind: "APIGroupList",
  apiVersion: "v1",
  groups,
});

/**
 * Merges `/api` and `/apis`; has resources only if both documents are aggregated. If both fail, the error is that of
 * `/api`, whichever failed first.
 */
async function bothRoots({ root }: Sources): Promise<RootDocument> {
  const ofCore = root("/api");
  const ofNamed = root("/apis");
  // Its error is thrown below, unless that of `/api` comes before it.
  ofNamed.catch(() => {});
  const core = await ofCore;
  const named = await ofNamed;
  const { resources } = core;
  return {
    groups: [...core.groups, ...named.groups],
    resources: resources && named.resources && new Map([...resources, ...named.resources]),
    failures: new Map([...core.failures, ...named.failures]),
  };
}

/** Reads the discovery roots; an `ETag` avoids sending unchanged documents again. */
function rootReader(client: Client): Sources["root"] {
  const known = new Map<string, { readonly etag: string; readonly document: RootDocument }>();
  return async (path) => {
    const last = known.get(path);
    const headers = { accept: discoveryAccept, ...(last && { "if-none-match": last.etag }) };
    try {
      const [response, value] = await ask(client, path, headers);
      if (response.status === 304 && last) return last.document;
      const document = isAggregated(header(response, "content-type") ?? "", value)
        ? aggregatedDocument(value)
        : plainDocument(path, value);
      const etag = header(response, "etag");
      if (etag) known.set(path, { etag, document });
      else known.delete(path);
      return document;
    } catch (error) {
      // Servers without the core group, such as aggregated ones, need not serve `/api`.
      if (path === "/api" && StatusError.is(error, "NotFound"))
        return { groups: [], resources: new Map(), failures: new Map() };
      throw error;
    }
  };
}

async function plainList(client: Client, groupVersion: string): Promise<APIResourceList> {
  const isCore = !groupVersion.includes("/");
  const path = `${isCore ? "/api" : "/apis"}/${groupVersion}`;
  try {
    const [, value] = await ask(client, path, { accept: "application/json" });
    // Servers leave out apiVersion and kind of the core group's list; readers of the cache need them.
    return { ...(value as APIResourceList), ...listMeta };
  } catch (error) {
    if (!(groupVersion === "v1" && StatusError.is(error, "NotFound"))) throw error;
    return { ...listMeta, groupVersion, resources: [] };
  }
}

const listMeta = { kind: "APIResourceList", apiVersion: "v1" } as const;

/** The timeout of a discovery request. */
const timeoutMs = 32_000;

function ask(
  client: Client,
  path: string,
  headers: Record<string, string>,
): Promise<[TransportResponse, unknown]> {
  return withDeadline({ clock: client.clock, ms: timeoutMs }, async (signal) => {
    const response = await client.raw({ method: "GET", path, headers, signal });
    const isUnchanged = response.status === 304;
    return [response, isUnchanged ? await response.value() : await decodeResponse(response)];
  });
}
