import { StatusError } from "../api/meta/v1/status-error.ts";
import type { ListOptions } from "./call-options.ts";
import type { Client } from "./client.ts";
import type { ObjectList } from "./object-list.ts";
import type { ResourceKind } from "./resource-kind.ts";

/** Options of a list that is read page by page. `limit` is the page size; default: 500. */
export type PageOptions = Omit<ListOptions, "continue">;

/**
 * Lists page by page, all pages as of one resourceVersion; a page is requested when the previous one has
 * been consumed. Throws a `StatusError` (`Expired`) if the server compacts that version meanwhile.
 */
export async function* pages<O>(
  client: Pick<Client, "list">,
  kind: ResourceKind<O>,
  options: PageOptions = {},
): AsyncGenerator<ObjectList<O>, void, undefined> {
  const { resourceVersion, resourceVersionMatch, limit, ...rest } = options;
  const page = { limit: limit || defaultLimit };
  let list = await client.list(kind, { ...rest, resourceVersion, resourceVersionMatch, ...page });
  yield list;
  while (list.metadata.continue) {
    // The continue token contains the resourceVersion; servers reject requests that have both.
    list = await client.list(kind, { ...rest, ...page, continue: list.metadata.continue });
    yield list;
  }
}

/** Lists page by page and yields one object at a time. */
export async function* eachItem<O>(
  client: Pick<Client, "list">,
  kind: ResourceKind<O>,
  options: PageOptions = {},
): AsyncGenerator<O, void, undefined> {
  for await (const { items } of pages(client, kind, options)) yield* items;
}

export interface ListAllOptions extends PageOptions {
  /** Lists everything again in one request if the version expires between two pages. Default: true. */
  readonly fullListIfExpired?: boolean | undefined;
}

/** Lists all objects page by page, which limits the load on the server. */
export async function listAll<O>(
  client: Pick<Client, "list">,
  kind: ResourceKind<O>,
  { fullListIfExpired = true, ...options }: ListAllOptions = {},
): Promise<ObjectList<O>> {
  let first: ObjectList<O> | undefined;
  const items: O[] = [];
  try {
    for await (const page of pages(client, kind, options)) {
      first ??= page;
      for (const item of page.items) items.push(item);
    }
  } catch (error) {
    const isLate = first !== undefined && StatusError.is(error, "Expired");
    if (!isLate || !fullListIfExpired) throw error;
    return client.list(kind, { ...options, limit: undefined });
  }
  const { apiVersion, kind: name, metadata } = first as ObjectList<O>;
  const { resourceVersion } = metadata;
  return { apiVersion, kind: name, metadata: { resourceVersion }, items };
}

const defaultLimit = 500;
