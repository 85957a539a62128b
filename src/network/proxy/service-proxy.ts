import { Node } from "../../api/core/v1/node/node.ts";
import { Service } from "../../api/core/v1/service/service.ts";
import { EndpointSlice } from "../../api/discovery/v1/endpoint-slice.ts";
import type { ObjectMeta } from "../../api/meta/v1/object-meta.ts";
import { ServiceCIDR } from "../../api/networking/v1/service-cidr.ts";
import type { NetworkEnvironment, NetworkPart } from "../network-part.ts";
import { ipFamilies } from "../services/ip-family.ts";
import { proxiedService } from "../services/proxied-service.ts";
import { frontendElements } from "./frontend-elements.ts";
import { machineAddresses } from "./machine-addresses.ts";
import { type RunNft, runNft } from "./program-tables.ts";
import { ProgrammedTables } from "./programmed-tables.ts";
import { appliedSettings, defaultProxySettings, type ProxySettings } from "./proxy-settings.ts";
import { settingsElements } from "./settings-elements.ts";
import { SyncLoop } from "./sync-loop.ts";

export interface ServiceProxyOptions extends NetworkEnvironment {
  readonly settings?: ProxySettings | undefined;
  readonly run?: RunNft | undefined;
}

/**
 * Keeps the kernel's rules such that traffic to services reaches their endpoints. The first transaction replaces
 * what is there, and therefore waits until all services and endpoints are known.
 */
export function openServiceProxy(options: ServiceProxyOptions): NetworkPart {
  const { informers, nodeName, clock, log, settings = defaultProxySettings } = options;
  const services = informers.of(Service);
  const slices = informers.of(EndpointSlice);
  slices.addIndexers({ [serviceIndex]: (slice) => [serviceOf(slice)] });
  const nodes = informers.of(Node, { fieldSelector: `metadata.name=${nodeName}` });
  const ranges = informers.of(ServiceCIDR);
  const tables = new ProgrammedTables(options.run ?? runNft);
  const dirty = new Set<string>();
  let zone = "";

  const observe = () => {
    const node = nodes.get({ name: nodeName });
    const zoneNow = node?.metadata.labels?.[zoneLabel] ?? "";
    if (zoneNow !== zone) for (const { metadata } of services.list()) dirty.add(keyOf(metadata));
    zone = zoneNow;
    return appliedSettings(settings, {
      nodeIPs: options.nodeIPs,
      podCIDRs: node?.spec.podCIDRs ?? [],
      serviceCIDRs: ranges.list().flatMap(({ spec }) => spec.cidrs ?? []),
      machineIPs: machineAddresses(),
    });
  };
  const prepare = (key: string): void => {
    const [namespace = "", name = ""] = key.split("/");
    const service = services.get({ namespace, name });
    const { frontends } = service
      ? proxiedService(service, slices.byIndex(serviceIndex, key), { name: nodeName, zone })
      : { frontends: [] };
    for (const family of ipFamilies) {
      const own = frontends.filter((frontend) => frontend.family === family);
      tables.set(`${key} ${family}`, frontendElements(own, options.nodeIPs));
    }
  };
  const loop = new SyncLoop({
    ...{ clock, minSyncMs: settings.minSyncMs, retryMs: settings.syncMs },
    async sync() {
      const { tables: wanted, facts } = observe();
      const keys = [...dirty];
      dirty.clear();
      for (const key of keys) prepare(key);
      for (const family of ipFamilies) tables.set(family, settingsElements(family, facts));
      await tables.apply(wanted);
    },
    failed: (error) => log.error("programming services failed", error),
  });
  let areKnown = false;
  const wake = (): void => {
    if (areKnown) loop.wake();
  };
  const changed = (key: string): void => {
    dirty.add(key);
    wake();
  };
  services.addHandler({
    added: ({ metadata }) => changed(keyOf(metadata)),
    updated: ({ metadata }) => changed(keyOf(metadata)),
    deleted: ({ metadata }) => changed(keyOf(metadata)),
  });
  slices.addHandler({
    added: (slice) => changed(serviceOf(slice)),
    updated(slice, old) {
      changed(serviceOf(slice));
      if (serviceOf(old) !== serviceOf(slice)) changed(serviceOf(old));
    },
    deleted: (slice) => changed(serviceOf(slice)),
  });
  nodes.addHandler({ added: wake, updated: wake });
  ranges.addHandler({ added: wake, updated: wake, deleted: wake });
  // A server may not know the ranges of services: they are not waited for.
  const known = Promise.all([services.synced(), slices.synced(), nodes.synced()]).then(
    () => {
      for (const { metadata } of services.list()) dirty.add(keyOf(metadata));
      areKnown = true;
      loop.wake();
    },
    // The informers were closed before they knew everything.
    () => {},
  );
  return {
    async close() {
      for (const informer of [services, slices, nodes, ranges]) informer.close();
      await loop.close();
      void known;
    },
  };
}

const serviceIndex = "proxied-service";
const zoneLabel = "topology.kubernetes.io/zone";

const keyOf = ({ namespace, name }: ObjectMeta): string => `${namespace}/${name}`;

/** The service that a slice belongs to. */
const serviceOf = ({ metadata }: EndpointSlice): string =>
  `${metadata.namespace}/${metadata.labels?.["kubernetes.io/service-name"] ?? ""}`;
