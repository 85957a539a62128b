import { badRequest, expired, StatusError } from "../../api/meta/v1/status-error.ts";
import { StoreError } from "../../store/store.ts";
import type { AnyKind } from "../objects/object.ts";
import type { Registry } from "../objects/registry.ts";
import { Stored, storedKind } from "../objects/stored.ts";
import { type ListOptions, parseListVersion } from "../request/query.ts";
import { decodeContinue, encodeContinue } from "./continue-token.ts";
import type { Selection } from "./selection.ts";

export interface ListRequest {
  readonly kind: AnyKind;
  /** Empty: all of them. */
  readonly namespace: string;
  readonly options: ListOptions;
  readonly selection: Selection;
}

/** A page of objects, and what the list says of itself. */
export interface ListPage {
  readonly objects: readonly Pick<Stored, "object" | "jsonTail">[];
  readonly metadata: {
    readonly resourceVersion?: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
}

/** Lists objects, as of now or of the version asked for. */
export async function list(registry: Registry, request: ListRequest): Promise<ListPage> {
  const { options } = request;
  if (options.continue !== "") return page(registry, request, continued(options));
  const version = parseListVersion(options.resourceVersion);
  const exact =
    version > 0 &&
    (options.resourceVersionMatch === "Exact" ||
      (options.resourceVersionMatch === "" && options.limit > 0));
  if (exact) return page(registry, request, { revision: version, after: undefined });
  if (options.resourceVersion === "" && !(await registry.cache.fresh()))
    return page(registry, request, { revision: undefined, after: undefined });
  await reach(registry, version);
  const { candidates, objects } = fromCache(registry, request);
  // Whoever takes whatever is at hand gets all of it.
  const limit = options.resourceVersion === "0" ? 0 : options.limit;
  const resourceVersion = String(registry.cache.revision);
  const last = limit > 0 ? objects[limit - 1] : undefined;
  // What comes after a full page may be what was not asked for: nobody has looked yet.
  if (!last || last === candidates.at(-1)) return { objects, metadata: { resourceVersion } };
  return {
    objects: objects.slice(0, limit),
    metadata: {
      resourceVersion,
      continue: tokenAfter(request, last, registry.cache.revision),
      ...(!request.selection.selects && { remainingItemCount: objects.length - limit }),
    },
  };
}

/** The part of the store that a list is about. */
export const prefixOf = (kind: AnyKind, namespace: string): string =>
  namespace !== "" && kind.scope === "Namespaced"
    ? `/registry/${kind.storagePrefix}/${namespace}/`
    : `/registry/${kind.storagePrefix}/`;

/** Waits until the cache has reached a version that a client asks for. */
export async function reach({ cache }: Registry, version: number): Promise<void> {
  if (!(await cache.reach(version))) throw tooLarge(version, cache.revision);
}

const tooLarge = (version: number, current: number): StatusError =>
  new StatusError(
    "Timeout",
    `Timeout: Too large resource version: ${version}, current: ${current}`,
    {
      details: {
        causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
        retryAfterSeconds: 1,
      },
    },
  );

interface Listed {
  /** All that were looked at, in order. */
  readonly candidates: readonly Stored[];
  /** Those of them that are asked for. */
  readonly objects: readonly Stored[];
}

function fromCache(registry: Registry, { kind, namespace, selection }: ListRequest): Listed {
  const { cache, reads } = registry;
  const resource = cache.of(kind);
  const prefix = prefixOf(kind, namespace);
  const { name, selects } = selection;
  if (
    name !== undefined &&
    prefix.length > resource.prefix.length === (kind.scope === "Namespaced")
  ) {
    const one = resource.get(`${prefix}${name}`)?.as(kind);
    const found = one && selection.matches(one.object) ? [one] : [];
    reads?.listedFromCache(resource.kind, one ? 1 : 0, found.length);
    return { candidates: found, objects: found };
  }
  const objects = Array.from(resource.list(prefix), (stored) => stored.as(kind));
  const selected = selects ? objects.filter(({ object }) => selection.matches(object)) : objects;
  reads?.listedFromCache(resource.kind, objects.length, selected.length);
  return { candidates: objects, objects: selected };
}

interface Start {
  /** Undefined: now. */
  readonly revision: number | undefined;
  readonly after: string | undefined;
}

function continued({ continue: token, resourceVersion }: ListOptions): Start {
  const { revision, start } = decodeContinue(token);
  if (resourceVersion !== "" && resourceVersion !== "0")
    throw badRequest("specifying resource version is not allowed when using continue");
  // The token names the first key of the next page: the last one of this page and a zero byte.
  const after = start.endsWith("\0") ? start.slice(0, -1) : start;
  return { revision: revision < 0 ? undefined : revision, after };
}

const tokenAfter = ({ kind, namespace }: ListRequest, last: Stored, revision: number): string =>
  encodeContinue({ revision, start: `${last.key.slice(prefixOf(kind, namespace).length)}\0` });

async function page(registry: Registry, request: ListRequest, start: Start): Promise<ListPage> {
  const found = await filledPage(registry, request, start);
  registry.reads?.listedFromStore(storedKind(request.kind), found.objects.length);
  return found;
}

/** Reads from the store, as of a revision, until the page is full. */
async function filledPage(
  registry: Registry,
  request: ListRequest,
  start: Start,
): Promise<ListPage> {
  const { kind, namespace, selection, options } = request;
  const prefix = prefixOf(kind, namespace);
  const objects: Stored[] = [];
  let after = start.after === undefined ? undefined : prefix + start.after;
  const { limit } = options;
  for (;;) {
    const result = await read(registry, prefix, { request, start, after });
    registry.reads?.fetchedFromStore(storedKind(kind), result.entries.length);
    for (const [index, entry] of result.entries.entries()) {
      after = entry.key;
      const stored = new Stored(kind, entry);
      if (!selection.matches(stored.object)) continue;
      objects.push(stored);
      if (limit === 0 || objects.length < limit) continue;
      const remaining = result.remaining + result.entries.length - index - 1;
      const resourceVersion = String(result.revision);
      if (remaining === 0) return { objects, metadata: { resourceVersion } };
      return {
        objects,
        metadata: {
          resourceVersion,
          continue: tokenAfter(request, stored, result.revision),
          ...(!selection.selects && { remainingItemCount: remaining }),
        },
      };
    }
    if (!result.more) return { objects, metadata: { resourceVersion: String(result.revision) } };
  }
}

async function read(
  { store }: Registry,
  prefix: string,
  { request, start, after }: { request: ListRequest; start: Start; after: string | undefined },
) {
  const { limit } = request.options;
  try {
    return await store.list(prefix, {
      ...(start.revision !== undefined && { revision: start.revision }),
      ...(limit > 0 && { limit }),
      ...(after !== undefined && { after }),
    });
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    if (error.code === "FutureRevision") throw tooLarge(start.revision ?? 0, error.revision);
    if (error.code !== "Compacted") throw error;
    if (after === undefined) throw expired("The resourceVersion for the provided list is too old.");
    throw expired(
      "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.",
      encodeContinue({ revision: -1, start: `${after.slice(prefix.length)}\0` }),
    );
  }
}
