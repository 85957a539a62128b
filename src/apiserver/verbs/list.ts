import { badRequest, expired, StatusError } from "../../api/meta/v1/status-error.ts";
import { StoreError } from "../../store/store.ts";
import { convertStored } from "../objects/conversions.ts";
import type { AnyKind } from "../objects/object.ts";
import type { ObjectReader } from "../objects/reader.ts";
import { Stored, storedKind } from "../objects/stored.ts";
import { type ListOptions, parseListVersion } from "../request/query.ts";
import { indexAfter } from "../watch/sorted-objects.ts";
import { decodeContinue, encodeContinue } from "./continue-token.ts";
import type { Selection } from "./selection.ts";

export interface ListRequest {
  readonly kind: AnyKind;
  /** Empty: all of them. */
  readonly namespace: string;
  readonly options: ListOptions;
  readonly selection: Selection;
}

/** A page of objects, and the metadata of the list. */
export interface ListPage {
  readonly objects: readonly Pick<Stored, "object" | "jsonTail">[];
  readonly metadata: {
    readonly resourceVersion?: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
}

/** Lists objects, as of now or of the requested version. */
export async function list(reader: ObjectReader, request: ListRequest): Promise<ListPage> {
  const { options } = request;
  if (options.continue !== "") return pageAt(reader, request, continued(options));
  const version = parseListVersion(options.resourceVersion);
  const exact =
    version > 0 &&
    (options.resourceVersionMatch === "Exact" ||
      (options.resourceVersionMatch === "" && options.limit > 0));
  if (exact) return pageAt(reader, request, { revision: version, after: undefined });
  if (options.resourceVersion === "" && !(await reader.cache.fresh()))
    return storePage(reader, request, { revision: undefined, after: undefined });
  await reach(reader, version);
  if (request.kind.converter && !(await isConverted(reader, request)))
    return storePage(reader, request, { revision: undefined, after: undefined });
  const named = namedObject(reader, request);
  // A client that accepts any version gets everything at once.
  const limit = options.resourceVersion === "0" ? 0 : options.limit;
  const { revision } = reader.cache;
  const prefix = prefixOf(request.kind, request.namespace);
  const candidates = named ?? reader.cache.of(request.kind).list(prefix);
  return cachedPage(reader, request, { candidates, limit, revision, after: undefined });
}

/**
 * Whether the cache has the objects as the kind, where a webhook converts them. If not, only a page of everything
 * can be had, from the store.
 */
async function isConverted(
  { cache }: ObjectReader,
  { kind, options, selection }: ListRequest,
): Promise<boolean> {
  try {
    await cache.converted.ready(kind, cache.of(kind));
    return true;
  } catch (error) {
    if (options.limit === 0 || selection.selects) throw error;
    return false;
  }
}

/** The part of the store that a list is about. */
export const prefixOf = (kind: AnyKind, namespace: string): string =>
  namespace !== "" && kind.scope === "Namespaced"
    ? `/registry/${kind.storagePrefix}/${namespace}/`
    : `/registry/${kind.storagePrefix}/`;

/** Waits until the cache has reached a requested version. */
export async function reach({ cache }: ObjectReader, version: number): Promise<void> {
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

/** The candidates of a list that can hold only one object, which need not be searched for. */
function namedObject(
  { cache }: ObjectReader,
  { kind, namespace, selection }: ListRequest,
): Stored[] | undefined {
  const resource = cache.of(kind);
  const prefix = prefixOf(kind, namespace);
  const isOneKey = prefix.length > resource.prefix.length === (kind.scope === "Namespaced");
  if (selection.name === undefined || !isOneKey) return undefined;
  const object = resource.get(`${prefix}${selection.name}`);
  return object ? [object] : [];
}

interface Candidates {
  /** In order. */
  readonly candidates: readonly Stored[];
  readonly revision: number;
  readonly limit: number;
  readonly after: string | undefined;
}

/** Selects objects of the cache until the page is full. */
function cachedPage(
  { cache, metrics }: ObjectReader,
  request: ListRequest,
  { candidates, revision, limit, after }: Candidates,
): ListPage {
  const { kind, namespace, selection } = request;
  const resource = cache.of(kind);
  const prefix = prefixOf(kind, namespace);
  const first = after === undefined ? 0 : indexAfter(candidates, prefix + after);
  const objects: Stored[] = [];
  let next = first;
  while (next < candidates.length && (limit === 0 || objects.length < limit)) {
    const stored = (candidates[next++] as Stored).as(kind);
    if (!selection.selects || selection.matches(stored.object)) objects.push(stored);
  }
  metrics?.listedFromCache(resource.kind, next - first, objects.length);
  const remaining = candidates.length - next;
  const last = objects.at(-1);
  if (remaining === 0 || !last) return { objects, metadata: { resourceVersion: String(revision) } };
  resource.keepList(prefix, revision);
  return { objects, metadata: fullPageMetadata(request, { last, revision, remaining }) };
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

/** The metadata of a list whose page is full, if more objects follow. */
const fullPageMetadata = (
  request: ListRequest,
  {
    last,
    revision,
    remaining,
  }: { readonly last: Stored; readonly revision: number; readonly remaining: number },
): ListPage["metadata"] => ({
  resourceVersion: String(revision),
  continue: tokenAfter(request, last, revision),
  // How many of the following objects match a selection is not known yet.
  ...(!request.selection.selects && { remainingItemCount: remaining }),
});

/** A page as of a revision, from the cache if it still has the objects of that revision. */
async function pageAt(reader: ObjectReader, request: ListRequest, start: Start): Promise<ListPage> {
  const { kind, namespace, options } = request;
  const { revision, after } = start;
  if (revision === undefined) return storePage(reader, request, start);
  const prefix = prefixOf(kind, namespace);
  if (reader.cache.listAt(kind, prefix, revision)) {
    // The cache may still have a compacted revision. Clients of all servers must get the same response.
    await fromStore(start, () => reader.store.get(prefix, revision));
    const candidates = reader.cache.listAt(kind, prefix, revision);
    const { limit } = options;
    if (candidates) await convertStored(kind, candidates);
    if (candidates) return cachedPage(reader, request, { candidates, limit, revision, after });
  }
  return storePage(reader, request, start);
}

async function storePage(
  reader: ObjectReader,
  request: ListRequest,
  start: Start,
): Promise<ListPage> {
  const found = await filledPage(reader, request, start);
  reader.metrics?.listedFromStore(storedKind(request.kind), found.objects.length);
  return found;
}

/** Reads from the store, as of a revision, until the page is full. */
async function filledPage(
  reader: ObjectReader,
  request: ListRequest,
  start: Start,
): Promise<ListPage> {
  const { kind, namespace, selection, options } = request;
  const prefix = prefixOf(kind, namespace);
  const objects: Stored[] = [];
  let { after } = start;
  const { limit } = options;
  for (;;) {
    const result = await fromStore({ ...start, after }, () =>
      reader.store.list(prefix, {
        ...(start.revision !== undefined && { revision: start.revision }),
        ...(limit > 0 && { limit }),
        ...(after !== undefined && { after: prefix + after }),
      }),
    );
    reader.metrics?.fetchedFromStore(storedKind(kind), result.entries.length);
    const page = result.entries.map((entry) => new Stored(kind, entry));
    await convertStored(kind, page);
    for (const [index, stored] of page.entries()) {
      after = stored.key.slice(prefix.length);
      if (!selection.matches(stored.object)) continue;
      objects.push(stored);
      if (limit === 0 || objects.length < limit) continue;
      const { revision } = result;
      const remaining = result.remaining + page.length - index - 1;
      if (remaining === 0) return { objects, metadata: { resourceVersion: String(revision) } };
      const metadata = fullPageMetadata(request, { last: stored, revision, remaining });
      return { objects, metadata };
    }
    if (!result.more) return { objects, metadata: { resourceVersion: String(result.revision) } };
  }
}

/** Runs a read of the store for a page, and explains to the client why it cannot be had. */
async function fromStore<T>(start: Start, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    if (error.code === "FutureRevision") throw tooLarge(start.revision ?? 0, error.revision);
    if (error.code !== "Compacted") throw error;
    const { after } = start;
    if (after === undefined) throw expired("The resourceVersion for the provided list is too old.");
    throw expired(
      "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.",
      encodeContinue({ revision: -1, start: `${after}\0` }),
    );
  }
}
