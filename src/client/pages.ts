import { StatusError } from "../api/meta/v1/status-error.ts";
import type { ListOptions } from "./call-options.ts";
import type { Client } from "./client.ts";
import type { ObjectList } from "./object-list.ts";
import type { ResourceKind } from "./resource-kind.ts";

/** What is listed page by page; `limit` is the size of a page, 500 if not given. */
export type PageOptions = Omit<ListOptions, "continue">;

/**
 * The pages of a list, all as of one version, each asked for when the one before was used. Whoever
 * takes too long learns by a `StatusError` (`Expired`) that the version is gone.
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
    // The token says of which version it is; servers refuse to be told twice.
    list = await client.list(kind, { ...rest, ...page, continue: list.metadata.continue });
    yield list;
  }
}

/** The objects of a list, one after the other, read page by page. */
export async function* eachItem<O>(
  client: Pick<Client, "list">,
  kind: ResourceKind<O>,
  options: PageOptions = {},
): AsyncGenerator<O, void, undefined> {
  for await (const { items } of pages(client, kind, options)) yield* items;
}

export interface ListAllOptions extends PageOptions {
  /** Whether a list whose version is gone in the middle is asked for anew in one piece; true if not given. */
  readonly fullListIfExpired?: boolean | undefined;
}

/** A whole list, read page by page to spare the server. */
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
