import { type Clock, withDeadline } from "../../base/clock.ts";
import type { SelectOptions } from "../call-options.ts";
import type { Client } from "../client.ts";
import { pages } from "../pages.ts";
import { formatKeyOf, type ResourceKind } from "../resource-kind.ts";
import { isExpired } from "./informer-faults.ts";

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

/** All objects as of one version, by key. */
export interface Listed<O> {
  readonly objects: Map<string, O>;
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
  const { kind, select, keep } = listing;
  const patient = patientClient(listing);
  const first = { ...select, resourceVersion: resourceVersion || undefined };
  const objects = new Map<string, O>();
  const add = (items: readonly O[]): void => {
    for (const object of items) objects.set(formatKeyOf(object), keep(object));
  };
  const whole = async (): Promise<Listed<O>> => {
    const { items, metadata } = await patient.list(kind, first);
    objects.clear();
    add(items);
    return { objects, version: metadata.resourceVersion, isPaged: false };
  };
  if (pageSize === 0) return whole();
  let version = "";
  let count = 0;
  try {
    for await (const page of pages(patient, kind, { ...first, limit: pageSize })) {
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

/** A client that waits so long for a list and no longer, and tells that one has arrived. */
function patientClient<O>({
  client,
  clock,
  patienceMs,
  signal,
  onHeard,
}: Listing<O>): Pick<Client, "list"> {
  return {
    async list(kind, how) {
      const list = await withDeadline({ clock, ms: patienceMs, signal }, (ending) =>
        client.list(kind, { ...how, signal: ending }),
      );
      onHeard();
      return list;
    },
  };
}
