import { type Clock, withDeadline } from "../base/clock.ts";
import type { SelectOptions } from "./call-options.ts";
import type { Client } from "./client.ts";
import { isExpired } from "./informer-faults.ts";
import type { ObjectList } from "./object-list.ts";
import type { ResourceKind } from "./resource-kind.ts";

/** How all objects of a kind are listed. */
export interface Listing<O> {
  readonly client: Client;
  readonly clock: Clock;
  readonly kind: ResourceKind<O>;
  readonly select: SelectOptions;
  /** What is kept of an object. */
  readonly keep: (object: O) => O;
  /** How long to wait for a page, in milliseconds. */
  readonly patienceMs: number;
  readonly signal: AbortSignal;
  /** Is told that a page has arrived. */
  readonly onHeard: () => void;
}

/** All objects as of one version. */
export interface Listed<O> {
  readonly objects: readonly O[];
  readonly version: string;
  /** Whether it took several pages. */
  readonly isPaged: boolean;
}

/**
 * Lists all objects, not older than a version ("0": of any age, empty: the latest), page by page where
 * `pageSize` is not 0. When the version of the first page is forgotten before the last one has arrived,
 * all is asked for at once.
 */
export async function listAll<O>(
  listing: Listing<O>,
  { resourceVersion, pageSize }: { readonly resourceVersion: string; readonly pageSize: number },
): Promise<Listed<O>> {
  const first = { resourceVersion: resourceVersion || undefined };
  const objects: O[] = [];
  let page = await listPage(listing, { ...first, limit: pageSize || undefined });
  for (const object of page.items) objects.push(listing.keep(object));
  const isPaged = Boolean(page.metadata.continue);
  while (page.metadata.continue) {
    try {
      page = await listPage(listing, { limit: pageSize, continue: page.metadata.continue });
    } catch (error) {
      if (!isExpired(error)) throw error;
      const { items, metadata } = await listPage(listing, first);
      return { objects: items.map(listing.keep), version: metadata.resourceVersion, isPaged };
    }
    for (const object of page.items) objects.push(listing.keep(object));
  }
  return { objects, version: page.metadata.resourceVersion, isPaged };
}

async function listPage<O>(
  { client, clock, kind, select, patienceMs, signal, onHeard }: Listing<O>,
  how: {
    readonly resourceVersion?: string | undefined;
    readonly limit?: number | undefined;
    readonly continue?: string;
  },
): Promise<ObjectList<O>> {
  const list = await withDeadline({ clock, ms: patienceMs, signal }, (ending) =>
    client.list(kind, { ...select, ...how, signal: ending }),
  );
  onHeard();
  return list;
}
