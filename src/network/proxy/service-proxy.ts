import type { Node } from "../../api/core/v1/node/node.ts";
import type { Clock } from "../../base/clock.ts";
import { errorMessage } from "../../base/error-message.ts";
import type { KubernetesObject } from "../../client/resource-kind.ts";
import { createEventSink } from "../../controller-runtime/events/event-recorder.ts";
import { ApplyLoop } from "../apply-loop.ts";
import type { NetworkEnvironment, NetworkPart } from "../network-part.ts";
import { type IpFamily, ipFamilies, rangesOf } from "../services/ip-family.ts";
import { type ProxiedService, proxiedService } from "../services/proxied-service.ts";
import { families } from "./elements.ts";
import { followServices } from "./follow-services.ts";
import { frontendElements } from "./frontend-elements.ts";
import { HealthCheckPorts } from "./health-check-ports.ts";
import { type ProxyKernel, proxyKernel } from "./kernel.ts";
import { machineAddresses } from "./machine-addresses.ts";
import { ProgrammedTables } from "./programmed-tables.ts";
import { ProxyHealthRecord } from "./proxy-health.ts";
import { createProxyMetrics } from "./proxy-metrics.ts";
import {
  appliedSettings,
  chosenAddresses,
  defaultProxySettings,
  type ProxySettings,
} from "./proxy-settings.ts";
import type { ProxyTables } from "./proxy-transaction.ts";
import { settingsElements } from "./settings-elements.ts";
import { staleFlows, udpTargets } from "./stale-flows.ts";
import { forgetLines, keepLines, type StickyClient, StickyTargets } from "./sticky-clients.ts";
import { keepMembers } from "./sticky-sets.ts";

export interface ServiceProxyOptions extends NetworkEnvironment {
  readonly settings?: ProxySettings | undefined;
  /** By default the kernel of this process' network namespace. */
  readonly kernel?: ProxyKernel | undefined;
  /** Called after the rules have been replaced as a whole: at first, and from time to time. */
  readonly replaced?: (() => Promise<void>) | undefined;
}

/** A service proxy that runs. */
export interface ServiceProxy extends NetworkPart {
  readonly health: ProxyHealthRecord;
  /** The node in the API; undefined if it does not exist. */
  readonly node: () => Node | undefined;
}

/**
 * Keeps the kernel's rules such that traffic to services reaches their endpoints. The first transaction replaces
 * what is there, and therefore waits until all services and endpoints are known.
 */
export function openServiceProxy(options: ServiceProxyOptions): ServiceProxy {
  const { nodeName, clock, log, settings = defaultProxySettings } = options;
  const kernel = options.kernel ?? proxyKernel();
  const metrics = createProxyMetrics(options.metrics);
  const health = new ProxyHealthRecord(2 * settings.syncMs);
  const tables = new ProgrammedTables(kernel.program);
  const sticky = new StickyTargets();
  const services = new Map<string, ProxiedService>();
  const events = createEventSink({ ...options, host: nodeName });
  const recorder = events.recorder("kube-proxy");
  const checks = new HealthCheckPorts({
    isHealthy: () => health.isHealthy(clock.now()),
    addresses: () => chosenAddresses(settings, options.nodeIPs, machineAddresses()),
    failed(service, port, error) {
      log.error("opening a health check port failed", error, { service, port });
      const why = `${JSON.stringify(service)} on port ${port}: ${errorMessage(error)}`;
      recorder.record(referenceToService(service), {
        ...{ type: "Warning", reason: "FailedToStartServiceHealthcheck", action: "Listen" },
        note: `node ${nodeName} failed to start healthcheck ${why}`,
      });
    },
    log,
  });
  let zone = "";
  let isUdpDirty = true;

  const observe = () => {
    const node = api.node();
    const zoneNow = node?.metadata.labels?.["topology.kubernetes.io/zone"] ?? "";
    if (zoneNow !== zone) api.dirtyAll();
    zone = zoneNow;
    return appliedSettings(settings, {
      nodeIPs: options.nodeIPs,
      podCIDRs: node?.spec.podCIDRs ?? [],
      serviceCIDRs: api.serviceRanges(),
      machineIPs: machineAddresses(),
    });
  };
  const prepare = (key: string): void => {
    const found = api.find(key);
    const before = services.get(key);
    const now = found && proxiedService(found.service, found.slices, { name: nodeName, zone });
    isUdpDirty ||= hasUdp(before) || hasUdp(now);
    if (now && now.frontends.length > 0) services.set(key, now);
    else services.delete(key);
    for (const family of ipFamilies) {
      const own = (now?.frontends ?? []).filter((frontend) => frontend.family === family);
      tables.set(`${key} ${family}`, frontendElements(own, options.nodeIPs));
    }
    sticky.set(key, now?.frontends ?? []);
  };
  const readSticky = async (): Promise<readonly StickyClient[]> =>
    (await Promise.all(families.map((family) => kernel.stickyClients(family)))).flat();
  const program = async (wanted: ProxyTables): Promise<boolean> => {
    const isAll = tables.next(wanted) === "all";
    const hasLost = sticky.takeLost();
    // The table that is replaced may be an earlier process'.
    const clients = (isAll && sticky.areAny) || hasLost ? await readSticky() : [];
    const [kept, lost] = [
      clients.filter((client) => sticky.allows(client)),
      clients.filter((client) => !sticky.allows(client)),
    ];
    // Sets of IPv6 only have clients of endpoints that are still there.
    const members = isAll && tables.has("ip6 sticky-sets") ? await kernel.stickyMembers() : [];
    const keptMembers = keepMembers(members, (set) => tables.has("ip6 sticky-sets", set));
    await tables.apply(wanted, isAll ? [...keepLines(kept), ...keptMembers] : forgetLines(lost));
    if (!hasLost) return isAll;
    // A packet on its way may have made a client stay with an endpoint while the transaction removed it.
    const late = (await readSticky()).filter((client) => !sticky.allows(client));
    const lines = forgetLines(late);
    if (lines.length > 0) await kernel.program(`${lines.join("\n")}\n`);
    return isAll;
  };
  const clean = async (): Promise<void> => {
    if (!isUdpDirty) return;
    const machineIPs = machineAddresses();
    for (const family of ipFamilies) {
      const start = clock.now();
      const nft = family === "IPv4" ? "ip" : "ip6";
      const targets = udpTargets(services.values(), family, machineIPs);
      const ranges = rangesOf(family, api.serviceRanges());
      if (targets.size === 0 && ranges.length === 0) continue;
      const stale = staleFlows(await kernel.udpFlows(nft), targets, ranges);
      await kernel.deleteFlows(nft, stale);
      metrics.conntrackSyncs.of(family).observe((clock.now() - start) / 1000);
      metrics.conntrackDeletions.of(family).add(stale.length);
    }
    isUdpDirty = false;
  };
  const each = (act: (family: string) => void): void => ipFamilies.forEach(act);
  const loop = new ApplyLoop({
    ...{ clock, minIntervalMs: settings.minSyncMs, maxRetryMs: settings.syncMs },
    async apply() {
      const start = clock.now();
      const { tables: wanted, facts } = observe();
      const keys = api.takeDirty();
      const triggers = api.takeTriggers();
      for (const key of keys) prepare(key);
      for (const family of ipFamilies) tables.set(family, settingsElements(family, facts));
      for (const key of keys) await checks.set(key, checkOf(services.get(key)));
      const isAll = await program(wanted);
      const end = clock.now();
      health.updated(end);
      if (isAll) await options.replaced?.();
      each((family) => {
        const seconds = (end - start) / 1000;
        metrics.syncs.of(family).observe(seconds);
        (isAll ? metrics.fullSyncs : metrics.partialSyncs).of(family).observe(seconds);
        metrics.lastSync.of(family).set(end / 1000);
        for (const at of triggers) metrics.programming.of(family).observe((end - at) / 1000);
      });
      await clean().catch((error: unknown) =>
        log.error("removing stale flows of UDP services failed", error),
      );
    },
    failed(error) {
      each((family) => metrics.failures.of(family).add(1));
      log.error("programming services failed", error);
    },
  });
  const api = followServices(options, {
    changed() {
      health.queued(clock.now());
      each((family) => metrics.lastQueued.of(family).set(clock.now() / 1000));
      loop.wake();
    },
    metrics,
  });
  options.metrics.onRead(() => {
    for (const family of ipFamilies)
      for (const policy of ["internal", "external"] as const)
        metrics.withoutLocalEndpoints
          .of(policy, family)
          .set(withoutLocal(services.values(), family, policy));
  });
  const reload = repeat(clock, reloadMs, () => {
    tables.forget();
    loop.wake();
  });
  return {
    health,
    node: api.node,
    async close() {
      reload.cancel();
      api.close();
      await loop.close();
      await checks.close();
      await events.close(eventsMs);
    },
  };
}

/** How long events that are not written yet are waited for. */
const eventsMs = 1000;

/** Upstream's events of services have no more of them. */
function referenceToService(key: string): KubernetesObject {
  const [namespace = "", name = ""] = key.split("/");
  return { apiVersion: "v1", kind: "Service", metadata: { namespace, name } };
}

/** Rules that others have changed do not stay so for longer. */
const reloadMs = 3_600_000;

function repeat(clock: Clock, ms: number, run: () => void): { cancel(): void } {
  const next = () =>
    clock.setTimer(ms, () => {
      timer = next();
      run();
    });
  let timer = next();
  return { cancel: () => timer.cancel() };
}

/** The number of ports that drop traffic because no endpoint is on this node. */
function withoutLocal(
  services: Iterable<ProxiedService>,
  family: IpFamily,
  policy: "internal" | "external",
): number {
  const drops = new Set<string>();
  for (const { frontends } of services)
    for (const frontend of frontends)
      if (frontend.family === family && frontend.refusal === "drop")
        if ((frontend.kind === "cluster-ip") === (policy === "internal")) drops.add(frontend.name);
  return drops.size;
}

const hasUdp = (service: ProxiedService | undefined): boolean =>
  service?.ports.some(([{ protocol }]) => protocol === "UDP") ?? false;

const checkOf = (service: ProxiedService | undefined) =>
  service?.healthCheckPort === undefined
    ? undefined
    : { port: service.healthCheckPort, localReady: service.localReady };
