import type { Event } from "../../api/core/v1/event/event.ts";
import type { ObjectMeta } from "../../api/meta/v1/object-meta.ts";
import type { Clock } from "../../base/clock.ts";
import type { Client } from "../../client/client.ts";
import type { DiscoveredKind } from "../../client/discovery/rest-mapper.ts";
import { dynamicKind, type KubernetesObject } from "../../client/resource-kind.ts";
import { helper, listError, type ObjectPlace } from "../resource/helper.ts";

/** A kind whose objects have a type. */
export type DescribedKind<O> = DiscoveredKind & { readonly $described?: O };

/** Names a kind, for requests without discovery. */
export const describedKind = <O>(
  names: Pick<DiscoveredKind, "group" | "version" | "kind" | "plural" | "scope">,
): DescribedKind<O> => dynamicKind(names);

export interface DescribeSettings {
  readonly client: Client;
  readonly clock: Clock;
  readonly showsEvents: boolean;
  readonly chunkSize: number;
  readonly signal: AbortSignal;
  readonly onWarning: (text: string) => void;
}

interface ListQuery {
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** Whether the list is requested page by page. */
  readonly inPages?: boolean;
}

/** An object that events are about. */
interface EventSubject {
  readonly kind?: string | undefined;
  readonly metadata: Pick<ObjectMeta, "name" | "namespace" | "uid">;
}

/** What describers request from the server. */
export class DescribeContext {
  readonly clock: Clock;
  readonly #settings: DescribeSettings;

  constructor(settings: DescribeSettings) {
    this.clock = settings.clock;
    this.#settings = settings;
  }

  async get<O>(kind: DescribedKind<O>, place: ObjectPlace): Promise<O> {
    return (await this.#requests(kind).get(place)) as unknown as O;
  }

  /** All objects that match, in all namespaces if it is empty. */
  async list<O>(
    kind: DescribedKind<O>,
    namespace: string,
    { labelSelector, fieldSelector, inPages = true }: ListQuery = {},
  ): Promise<readonly O[]> {
    const found: O[] = [];
    await this.#eachPage(kind, namespace, {
      query: { labelSelector: labelSelector || undefined, fieldSelector, inPages },
      take: (items) => found.push(...(items as O[])),
    });
    return found;
  }

  /**
   * The events of an object, as far as they can be listed; undefined if events are not shown.
   * An object without a kind has events of any kind.
   */
  async events(subject: EventSubject): Promise<readonly Event[] | undefined> {
    if (!this.#settings.showsEvents) return undefined;
    const events: Event[] = [];
    await this.#eachEvent(subject, events).catch(() => {});
    return events;
  }

  /** The events of an object; rejects if they cannot be listed. */
  async eventsOrError(subject: EventSubject): Promise<readonly Event[] | undefined> {
    if (!this.#settings.showsEvents) return undefined;
    const events: Event[] = [];
    await this.#eachEvent(subject, events);
    return events;
  }

  #eachEvent({ kind, metadata }: EventSubject, events: Event[]): Promise<void> {
    const { name = "", namespace = "", uid = "" } = metadata;
    const terms = [`involvedObject.name=${name}`, `involvedObject.namespace=${namespace}`];
    if (kind) terms.push(`involvedObject.kind=${kind}`);
    if (uid) terms.push(`involvedObject.uid=${uid}`);
    return this.#eachPage(eventKind, namespace, {
      query: { fieldSelector: terms.join(","), inPages: true },
      take: (items) => events.push(...(items as unknown as Event[])),
    });
  }

  async #eachPage(
    kind: DiscoveredKind,
    namespace: string,
    { query, take }: { query: ListQuery; take: (items: readonly KubernetesObject[]) => void },
  ): Promise<void> {
    const { inPages, ...selectors } = query;
    const requests = this.#requests(kind);
    let token: string | undefined;
    do {
      const limit = inPages ? this.#settings.chunkSize : 0;
      const page = await requests
        .list(namespace, { continue: token, ...selectors, limit })
        .catch((error: unknown) => {
          throw inPages ? listError(error, kind.plural, selectors) : error;
        });
      take((page.items ?? []) as readonly KubernetesObject[]);
      token = (page.metadata as { readonly continue?: string }).continue || undefined;
    } while (token !== undefined && inPages);
  }

  #requests(kind: DiscoveredKind) {
    const { client, signal, onWarning } = this.#settings;
    return helper(client, kind, { signal, onWarning });
  }
}

const eventKind = describedKind<Event>({
  group: "",
  version: "v1",
  kind: "Event",
  plural: "events",
  scope: "Namespaced",
});
