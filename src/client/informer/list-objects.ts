import { type Clock, withDeadline } from "../../base/clock.ts";
import type { SelectOptions } from "../call-options.ts";
import type { Client } from "../client.ts";
import { pages } from "../pages.ts";
import { formatKeyOf, type ResourceKind } from "../resource-kind.ts";
import { isExpired } from "./list-watch-errors.ts";

/** What a list request needs. */
export interface ListRequest<O> {
  readonly client: Client;
  readonly clock: Clock;
  readonly kind: ResourceKind<O>;
  readonly select: SelectOptions;
  /** Transforms an object before it is cached. */
  readonly transform: (object: O) => O;
  /** The timeout of each page, in milliseconds. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Called when a page has arrived. */
  readonly onActivity: () => void;
}

/** All objects as of one resourceVersion, by key. */
export interface Listed<O> {
  readonly objects: Map<string, O>;
  readonly version: string;
  /** Whether the list had several pages. */
  readonly isPaged: boolean;
}

/**
 * Lists all objects, not older than `resourceVersion` ("0": any version in the server's cache, empty:
 * the latest), page by page unless `pageSize` is 0. If the version of the first page is compacted before
 * the last page has arrived, lists everything in one request.
 */
export async function listObjects<O>(
  listing: ListRequest<O>,
  { resourceVersion, pageSize }: { readonly resourceVersion: string; readonly pageSize: number },
): Promise<Listed<O>> {
  const { kind, select, transform } = listing;
  const limitedClient = clientWithTimeout(listing);
  const first = { ...select, resourceVersion: resourceVersion || undefined };
  const objects = new Map<string, O>();
  const add = (items: readonly O[]): void => {
    for (const object of items) objects.set(formatKeyOf(object), transform(object));
  };
  const whole = async (): Promise<Listed<O>> => {
    const { items, metadata } = await limitedClient.list(kind, first);
    objects.clear();
    add(items);
    return { objects, version: metadata.resourceVersion, isPaged: false };
  };
  if (pageSize === 0) return whole();
  let version = "";
  let count = 0;
  try {
    for await (const page of pages(limitedClient, kind, { ...first, limit: pageSize })) {
      count++;
      version = page.metadata.resourceVersion;
      add(page.items);
    }
  } catch (error) {
    if (count === 0 || !isExpired(error)) throw error;
    return { ...(await whole()), isPaged: true };
  }
  return { objects, version, isPaged: count > 1 };
}

/** A client whose lists time out, and which reports each page. */
function clientWithTimeout<O>({
  client,
  clock,
  timeoutMs,
  signal,
  onActivity,
}: ListRequest<O>): Pick<Client, "list"> {
  return {
    async list(kind, how) {
      const list = await withDeadline({ clock, ms: timeoutMs, signal }, (ending) =>
        client.list(kind, { ...how, signal: ending }),
      );
      onActivity();
      return list;
    },
  };
}
