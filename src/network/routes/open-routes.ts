import { createHash } from "node:crypto";
import { Node } from "../../api/core/v1/node/node.ts";
import { delays } from "../../base/backoff.ts";
import type { Timer } from "../../base/clock.ts";
import { coalesceCalls } from "../../base/coalesce-calls.ts";
import { mustRun } from "../../platform/run-child.ts";
import { type Cidr, formatIp } from "../../schema/values/ip.ts";
import type { NetworkEnvironment, NetworkPart } from "../network-part.ts";
import { runNft } from "../run-nft.ts";
import { announceNode } from "./announce-node.ts";
import { families } from "./flannel-annotations.ts";
import { masqueradeRules, tunnelRules } from "./masquerade-rules.ts";
import { type InterfaceRow, interfaceOf } from "./own-network.ts";
import { announces, nodeAddresses, planRoutes, type RoutePlan } from "./plan-routes.ts";
import {
  type FoundRoutes,
  type OwnTunnel,
  routeCommands,
  routeProtocol,
  tunnelDevices,
} from "./route-commands.ts";
import { watchLinks } from "./watch-links.ts";

export interface NodeRoutesOptions extends NetworkEnvironment {
  /**
   * If others route to the pods of nodes, and of this one, as the machine does for its boxes: the ranges of these
   * nodes' addresses. The pods of all other nodes are reached through tunnels.
   */
  readonly routedNodes?: readonly Cidr[] | undefined;
}

/**
 * Routes to the pods of all other nodes, as they come and go, and has pods reach the outside with the address of their
 * node. Routes of an earlier process stay until the nodes are known, and are corrected then.
 */
export async function openRoutes(options: NodeRoutesOptions): Promise<NetworkPart> {
  const { informers, clock, random, log, routedNodes } = options;
  const nodes = informers.of(Node);
  const stop = new AbortController();
  const { signal } = stop;
  const backoff = { duration: 1000, factor: 2, steps: 6, cap: 60_000, jitter: 0.2 };
  let nextDelay = delays(backoff, random);
  const tell = unreachableLog(log);
  const matters = (node: Node): boolean => routedNodes === undefined || announces(node);
  const watch = () => watchLinks({ clock, log, changed });
  // A box needs to know of its interfaces only once it routes.
  let links = routedNodes === undefined ? watch() : undefined;
  let retry: Timer | undefined;
  const apply = coalesceCalls(async () => {
    if (signal.aborted || !nodes.hasSynced) return;
    retry?.cancel();
    try {
      const { routes } = await applyRoutes(options, { nodes: nodes.list(), signal, tell });
      if (!signal.aborted && routes.length > 0) links ??= watch();
      nextDelay = delays(backoff, random);
    } catch (error) {
      if (signal.aborted) return;
      log.error("routing to the pods of other nodes failed", error);
      retry = clock.setTimer(nextDelay(), changed);
    }
  });
  let running: Promise<void> = Promise.resolve();
  function changed(): void {
    running = apply();
  }
  nodes.addHandler({
    added: (node) => {
      if (matters(node)) changed();
    },
    updated: (node, old) => {
      if ((matters(node) || matters(old)) && routingOf(node) !== routingOf(old)) changed();
    },
    deleted: (node) => {
      if (matters(node)) changed();
    },
  });
  nodes.synced({ signal }).then(changed, () => {});
  return {
    async close() {
      stop.abort();
      retry?.cancel();
      nodes.close();
      await running;
      links?.close();
    },
  };
}

/** Removes the routes to pods of other nodes, the tunnels that were made for them, and the masquerade. */
export async function removeRoutes(): Promise<void> {
  const plan = { own: [], inside: [], routes: [], unreachable: [] };
  const found = await readRoutes();
  await program({ plan, found, tunnels: new Map(), masquerade: masqueradeRules(plan) });
}

/** What of a node matters here; its status is written often for other reasons. */
const routingOf = ({ metadata, spec, status }: Node): string =>
  JSON.stringify([
    metadata.annotations,
    spec?.podCIDRs ?? spec?.podCIDR,
    status?.addresses,
    status?.conditions?.find(({ type }) => type === "NetworkUnavailable")?.status,
  ]);

/** Logs the nodes that cannot be reached, each once until that changes. */
function unreachableLog(log: NodeRoutesOptions["log"]): (plan: RoutePlan) => void {
  let known: ReadonlySet<string> = new Set();
  return ({ unreachable }) => {
    const now = new Set<string>();
    for (const { node, reason } of unreachable) {
      const text = `${node}: ${reason}`;
      if (!known.has(text)) log.warn("the pods of a node cannot be reached", { node, reason });
      now.add(text);
    }
    known = now;
  };
}

interface Application {
  readonly nodes: readonly Node[];
  readonly signal: AbortSignal;
  readonly tell: (plan: RoutePlan) => void;
}

async function applyRoutes(
  options: NodeRoutesOptions,
  { nodes, signal, tell }: Application,
): Promise<RoutePlan> {
  const { nodeName, routedNodes } = options;
  const found = await readRoutes();
  const plan = planRoutes({ nodeName, nodes, interfaces: found.interfaces, routedNodes });
  const self = nodes.find(({ metadata }) => metadata.name === nodeName);
  const tunnels = self ? ownTunnels(self, found.interfaces) : new Map();
  tell(plan);
  const masquerade = routedNodes === undefined ? masqueradeRules(plan) : tunnelRules(plan);
  try {
    await program({ plan, tunnels, found, masquerade });
  } catch (error) {
    if (self) await announceNode(options, { self, tunnels, isUp: false, signal });
    throw error;
  }
  // As long as all nodes are routed, none needs to know the end of a tunnel.
  const isAlone =
    routedNodes !== undefined && plan.routes.length === 0 && plan.unreachable.length === 0;
  if (self && plan.own.length > 0 && !isAlone)
    await announceNode(options, { self, tunnels, isUp: true, signal });
  return plan;
}

interface Programming {
  readonly plan: RoutePlan;
  readonly tunnels: ReadonlyMap<4 | 6, OwnTunnel>;
  readonly found: FoundRoutes;
  /** The rules of the masquerade. */
  readonly masquerade: string;
}

async function program({ plan, tunnels, found, masquerade }: Programming): Promise<void> {
  const commands = routeCommands(plan, tunnels, found);
  const batch = async (name: "ip" | "bridge"): Promise<void> => {
    // One that fails does not keep the others from their routes.
    const input = commands[name].map((line) => `${line}\n`).join("");
    if (input !== "") await mustRun(name, ["-force", "-batch", "-"], { input });
  };
  await runNft(masquerade);
  await batch("ip");
  await batch("bridge");
}

/** The ends of this node's tunnels, at its own addresses. */
function ownTunnels(
  self: Node,
  interfaces: readonly InterfaceRow[],
): ReadonlyMap<4 | 6, OwnTunnel> {
  const tunnels = new Map<4 | 6, OwnTunnel>();
  for (const ip of nodeAddresses(self)) {
    const { ifname: device, mtu = 1500 } = interfaceOf(interfaces, ip) ?? {};
    if (device === undefined || tunnels.has(ip.version)) continue;
    tunnels.set(ip.version, { mac: macOf(self, ip.version), to: formatIp(ip), device, mtu });
  }
  return tunnels;
}

/** A hardware address that stays as it is when a machine reboots, so that others need not learn of it. */
function macOf({ metadata }: Node, version: 4 | 6): string {
  const bytes = createHash("sha256").update(`${metadata.name} ${version}`).digest().subarray(0, 5);
  return ["02", ...[...bytes].map((byte) => byte.toString(16).padStart(2, "0"))].join(":");
}

async function readRoutes(): Promise<FoundRoutes> {
  const read = async <T>(program: string, ...args: readonly string[]): Promise<readonly T[]> =>
    JSON.parse((await mustRun(program, args)) || "[]") as readonly T[];
  const routes = (family: "-4" | "-6") =>
    read<FoundRoutes["routes"][number]>(
      ...(["ip", family, "-json", "route", "show", "proto", String(routeProtocol)] as const),
    );
  const [interfaces, ipv4, ipv6, neighbours, ipv6Neighbours] = await Promise.all([
    read<InterfaceRow>("ip", "-details", "-json", "address", "show"),
    routes("-4"),
    routes("-6"),
    read<FoundRoutes["neighbours"][number]>(
      "ip",
      "-4",
      "-json",
      "neigh",
      "show",
      "nud",
      "permanent",
    ),
    read<FoundRoutes["neighbours"][number]>(
      "ip",
      "-6",
      "-json",
      "neigh",
      "show",
      "nud",
      "permanent",
    ),
  ]);
  const forwarding = await Promise.all(
    families
      .map((version) => tunnelDevices[version])
      .filter((name) => interfaces.some(({ ifname }) => ifname === name))
      .map(async (name) =>
        (
          await read<FoundRoutes["forwarding"][number]>(
            "bridge",
            "-json",
            "fdb",
            "show",
            "dev",
            name,
          )
        ).map((row) => ({ ...row, ifname: name })),
      ),
  );
  return {
    ...{ interfaces, routes: [...ipv4, ...ipv6] },
    ...{ neighbours: [...neighbours, ...ipv6Neighbours], forwarding: forwarding.flat() },
  };
}
