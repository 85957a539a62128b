import { Node } from "../../api/core/v1/node/node.ts";
import { Service } from "../../api/core/v1/service/service.ts";
import {
  EndpointSlice,
  headlessLabel,
  serviceNameLabel,
} from "../../api/discovery/v1/endpoint-slice.ts";
import type { ObjectMeta } from "../../api/meta/v1/object-meta.ts";
import { ServiceCIDR } from "../../api/networking/v1/service-cidr.ts";
import type { NetworkEnvironment } from "../network-part.ts";
import type { ProxyMetrics } from "./proxy-metrics.ts";

/** The API, as a service proxy sees it. */
export interface FollowedServices {
  /** The services that have changed since this was called last, by namespace and name. */
  takeDirty(): readonly string[];
  /** When what caused changes of endpoints happened, of those since this was called last; in milliseconds. */
  takeTriggers(): readonly number[];
  /** Says that all services have changed. */
  dirtyAll(): void;
  find(
    key: string,
  ): { readonly service: Service; readonly slices: readonly EndpointSlice[] } | undefined;
  readonly node: () => Node | undefined;
  /** The ranges of addresses that services get. */
  serviceRanges(): readonly string[];
  close(): void;
}

export interface FollowServicesOptions {
  /** Called for changes once all services, endpoints and the node are known. */
  readonly changed: () => void;
  readonly metrics: ProxyMetrics;
}

/** Follows services, their endpoints, the node, and the ranges of services. */
export function followServices(
  { informers, nodeName, clock }: NetworkEnvironment,
  { changed, metrics }: FollowServicesOptions,
): FollowedServices {
  const services = informers.of(Service);
  const slices = informers.of(EndpointSlice);
  slices.addIndexers({ [serviceIndex]: (slice) => [serviceOf(slice)] });
  const nodes = informers.of(Node, { fieldSelector: `metadata.name=${nodeName}` });
  const ranges = informers.of(ServiceCIDR);
  const startedAt = clock.now();
  const dirty = new Set<string>();
  let triggers: number[] = [];
  const pending = { services: metrics.pendingServices.of(), slices: metrics.pendingEndpoints.of() };
  const totals = { services: metrics.serviceChanges.of(), slices: metrics.endpointChanges.of() };
  const counts = { services: 0, slices: 0 };
  let areKnown = false;
  const wake = (): void => {
    if (areKnown) changed();
  };
  const count = (kind: "services" | "slices"): void => {
    totals[kind].add(1);
    pending[kind].set(++counts[kind]);
  };
  const serviceChanged = ({ metadata }: Service): void => {
    count("services");
    dirty.add(keyOf(metadata));
    wake();
  };
  const sliceChanged = (slice: EndpointSlice): void => {
    count("slices");
    dirty.add(serviceOf(slice));
    wake();
  };
  const triggered = ({ metadata }: EndpointSlice): void => {
    const at = Date.parse(metadata.annotations?.[triggerAnnotation] ?? "");
    if (at > startedAt) triggers.push(at);
  };
  services.addHandler({
    added: serviceChanged,
    updated: serviceChanged,
    deleted: serviceChanged,
  });
  slices.addHandler({
    added(slice) {
      triggered(slice);
      sliceChanged(slice);
    },
    updated(slice, old) {
      triggered(slice);
      if (serviceOf(old) !== serviceOf(slice)) sliceChanged(old);
      sliceChanged(slice);
    },
    deleted: sliceChanged,
  });
  nodes.addHandler({ added: wake, updated: wake });
  ranges.addHandler({ added: wake, updated: wake, deleted: wake });
  const dirtyAll = (): void => {
    for (const { metadata } of services.list()) dirty.add(keyOf(metadata));
  };
  // A server may not know the ranges of services: they are not waited for.
  Promise.all([services.synced(), slices.synced(), nodes.synced()]).then(
    () => {
      areKnown = true;
      dirtyAll();
      changed();
    },
    // Closed before all was known.
    () => {},
  );
  return {
    takeDirty() {
      const keys = [...dirty];
      dirty.clear();
      for (const kind of ["services", "slices"] as const) {
        counts[kind] = 0;
        pending[kind].set(0);
      }
      return keys;
    },
    takeTriggers() {
      const taken = triggers;
      triggers = [];
      return taken;
    },
    dirtyAll,
    find(key) {
      const [namespace = "", name = ""] = key.split("/");
      const service = services.get({ namespace, name });
      if (!service) return undefined;
      const proxied = ({ metadata }: EndpointSlice): boolean =>
        metadata.labels?.[headlessLabel] === undefined;
      return { service, slices: slices.byIndex(serviceIndex, key).filter(proxied) };
    },
    node: () => nodes.get({ name: nodeName }),
    serviceRanges: () => ranges.list().flatMap(({ spec }) => spec.cidrs ?? []),
    close() {
      for (const informer of [services, slices, nodes, ranges]) informer.close();
    },
  };
}

/** Where the controller of endpoint slices says when what it followed happened. */
const triggerAnnotation = "endpoints.kubernetes.io/last-change-trigger-time";
const serviceIndex = "proxied-service";

const keyOf = ({ namespace, name }: ObjectMeta): string => `${namespace}/${name}`;

/** The service that a slice belongs to. */
const serviceOf = ({ metadata }: EndpointSlice): string =>
  `${metadata.namespace}/${metadata.labels?.[serviceNameLabel] ?? ""}`;
