import type { Clock } from "../../base/clock.ts";
import {
  type ApiResource,
  preferredResources,
  type ServerApis,
} from "../../client/discovery/server-apis.ts";
import type { HandlerRegistration, Informer } from "../../client/informer/informer-options.ts";
import type { Informers } from "../../client/informer/informers.ts";
import type { MetadataObject, ResourceKind } from "../../client/resource-kind.ts";
import { apiVersionOf } from "../../schema/language/kind.ts";
import { metadataInformer } from "../metadata-informer.ts";
import type { GraphEvent } from "./dependency-graph.ts";
import { graphObject } from "./graph-node.ts";

/** Watches the metadata of all objects that can be collected, and notifies the graph. */
export interface ResourceMonitors {
  /**
   * Watches the served resources, and stops to watch others after a while: until then their last deletions
   * may arrive. Resources whose discovery failed are kept. Returns whether a resource is to be removed
   * later, so that it must be called again.
   */
  follow(apis: ServerApis): { readonly isLeaving: boolean };
  /** Resolves when the graph has all existing objects. */
  synced(): Promise<void>;
  close(): void;
}

export interface ResourceMonitorsOptions {
  readonly informers: Informers;
  readonly clock: Pick<Clock, "now">;
  readonly notify: (event: GraphEvent) => void;
}

/** How long a resource is watched after it is no longer served. */
const leavingMs = 30_000;

/** Monitors without resources. */
export function createResourceMonitors(options: ResourceMonitorsOptions): ResourceMonitors {
  const { clock } = options;
  const monitors = new Map<string, Monitor>();

  return {
    follow(apis) {
      const wanted = new Map(collectable(apis).map((one) => [resourceText(one), one]));
      for (const [text, resource] of wanted) {
        const known = monitors.get(text);
        if (known) known.missingSince = undefined;
        else monitors.set(text, begin(resource, options));
      }
      let isLeaving = false;
      for (const [text, monitor] of monitors) {
        if (wanted.has(text) || apis.failures.has(apiVersionOf(monitor.informer.kind))) continue;
        monitor.missingSince ??= clock.now();
        if (clock.now() - monitor.missingSince < leavingMs) isLeaving = true;
        else {
          monitor.informer.close();
          monitors.delete(text);
        }
      }
      return { isLeaving };
    },
    async synced() {
      const all = [...monitors.values()];
      await Promise.all(all.map(({ registration }) => registration.synced()));
    },
    close() {
      for (const { informer } of monitors.values()) informer.close();
      monitors.clear();
    },
  };
}

interface Monitor {
  readonly informer: Informer<MetadataObject>;
  readonly registration: HandlerRegistration;
  /** Since when it is not served. */
  missingSince: number | undefined;
}

function begin(
  resource: ResourceKind,
  { informers, notify }: Pick<ResourceMonitorsOptions, "informers" | "notify">,
): Monitor {
  const type = { apiVersion: apiVersionOf(resource), kind: resource.kind };
  const informer = metadataInformer(informers, resource);
  const registration = informer.addHandler({
    added: ({ metadata }) => notify({ type: "seen", object: graphObject(type, metadata) }),
    updated({ metadata }, { metadata: old }) {
      notify({ type: "seen", object: graphObject(type, metadata), old: graphObject(type, old) });
    },
    deleted: ({ metadata }) =>
      notify({ type: "gone", reference: graphObject(type, metadata).reference }),
  });
  return { informer, registration, missingSince: undefined };
}

/** The resources that can be watched and deleted, except events: they are many, and have no owners. */
const collectable = (apis: ServerApis): readonly ApiResource[] =>
  preferredResources(apis).filter(
    ({ group, plural, verbs }) =>
      ["delete", "list", "watch"].every((verb) => verbs.includes(verb)) &&
      !(plural === "events" && (group === "" || group === "events.k8s.io")),
  );

const resourceText = ({ group, version, plural, kind, scope }: ResourceKind): string =>
  [group, version, plural, kind, scope].join("/");
