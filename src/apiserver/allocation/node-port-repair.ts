import { Service } from "../../api/core/v1/service/service.ts";
import { nodePortsKey } from "./node-port-allocator.ts";
import { formatPortRange, PortBits, type PortRange, parsePortRange } from "./port-bits.ts";
import { decodeSharedRange, encodeSharedRange, type SharedRange } from "./range-allocation.ts";
import type { Finding, RepairEvents } from "./repair-events.ts";
import type { RepairParts } from "./repair-tasks.ts";

/** How many rounds must find a port without a service before it is free again. */
const roundsBeforeCleanup = 3;

/** The ports that were found without a service, and for how many more rounds they stay allocated. */
export type Leaks = ReadonlyMap<number, number>;

export interface RebuiltPorts {
  readonly bits: PortBits;
  readonly leaks: Leaks;
  readonly findings: readonly { readonly service: Service; readonly finding: Finding }[];
}

/** Computes from the existing services which node ports should be allocated. */
export function rebuildPorts(
  services: Iterable<Service>,
  stored: PortBits,
  { range, leaks }: { readonly range: PortRange; readonly leaks: Leaks },
): RebuiltPorts {
  const bits = new PortBits(range);
  const unexplained = new Set(stored.ports());
  const findings: { service: Service; finding: Finding }[] = [];
  for (const service of services)
    for (const port of claimedPorts(service)) {
      const report = (reason: string, note: string) =>
        findings.push({ service, finding: { reason, action: "PortAllocation", note } });
      if (!bits.includes(port))
        report(
          "PortOutOfRange",
          `Port ${port} is not within the port range ${formatPortRange(range)}; please recreate service`,
        );
      else if (bits.has(port))
        report(
          "PortAlreadyAllocated",
          `Port ${port} was assigned to multiple services; please recreate service`,
        );
      else {
        bits.set(port, true);
        if (!unexplained.delete(port))
          report("PortNotAllocated", `Port ${port} is not allocated; repairing`);
      }
    }
  const next = new Map<number, number>();
  for (const port of unexplained) {
    const left = leaks.get(port) ?? roundsBeforeCleanup - 1;
    if (left === 0) continue;
    next.set(port, left - 1);
    bits.set(port, true);
  }
  return { bits, leaks: next, findings };
}

/** A number that ports of different protocols share is one; that of one protocol twice is two. */
function claimedPorts({ spec }: Service): number[] {
  const seen = new Map<number, Set<string>>();
  const claimed: number[] = [];
  const claim = (port: number, protocol: string) => {
    const protocols = seen.get(port);
    if (!protocols || protocols.has(protocol)) claimed.push(port);
    seen.set(port, (protocols ?? new Set()).add(protocol));
  };
  for (const { nodePort, protocol = "TCP" } of spec.ports ?? [])
    if (nodePort) claim(nodePort, protocol);
  if (spec.healthCheckNodePort) claim(spec.healthCheckNodePort, "TCP");
  return claimed;
}

export interface NodePortRepairOptions {
  readonly parts: RepairParts;
  readonly range: PortRange;
  readonly events: RepairEvents;
}

/** A round that brings what the store says of node ports in line with the services. */
export function nodePortRepair(
  options: NodePortRepairOptions,
): () => Promise<{ readonly isSettled: boolean }> {
  const { events } = options;
  const { log } = options.parts.environment;
  let leaks: Leaks = new Map();
  return async () => {
    let rebuilt = await rebuild(options, leaks);
    while (rebuilt === "conflict") rebuilt = await rebuild(options, leaks);
    for (const port of leaks.keys())
      if (!rebuilt.bits.has(port)) log.warn("released a leaked node port", { port });
    leaks = rebuilt.leaks;
    for (const { service, finding } of rebuilt.findings) {
      const { namespace, name } = service.metadata;
      log.warn("node port needs repair", { namespace, name, ...finding });
      await events.report(service, finding);
    }
    return { isSettled: rebuilt.findings.length === 0 && leaks.size === 0 };
  };
}

/** Rebuilds what is stored, and stores it where that is something else. */
async function rebuild(
  { parts: { reader, committer }, range }: NodePortRepairOptions,
  leaks: Leaks,
): Promise<RebuiltPorts | "conflict"> {
  await reader.catchUp();
  // Both are read at once, so that they are of one revision.
  const entry = reader.cache.unclaimed(nodePortsKey);
  const services = reader.listCached(Service);
  const shared = entry && decodeSharedRange(entry.value);
  const before = storedBits(shared, range);
  const rebuilt = rebuildPorts(services, before, { range, leaks });
  const next = { range: formatPortRange(range), data: rebuilt.bits.stored };
  if (shared && sameRange(shared, next)) return rebuilt;
  const ifRevision = entry?.modRevision ?? 0;
  const value = encodeSharedRange(next);
  const op = { type: "put", key: nodePortsKey, value, ifRevision } as const;
  return (await committer.commitRaw([op])).ok ? rebuilt : "conflict";
}

function storedBits(shared: SharedRange | undefined, range: PortRange): PortBits {
  if (!shared?.range) return new PortBits(range, shared?.data);
  const stored = parsePortRange(shared.range);
  if (!stored)
    throw new Error(`unable to rebuild allocator from snapshot: ${shared.range} is no range`);
  return new PortBits(stored, shared.data);
}

const sameRange = (a: SharedRange, b: SharedRange): boolean =>
  a.range === b.range &&
  a.data.length === b.data.length &&
  a.data.every((byte, i) => byte === b.data[i]);
