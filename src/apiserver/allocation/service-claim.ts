import type { IpFamily } from "../../api/core/v1/service/service-cluster-ips.ts";
import type { ServiceDraft } from "../../api/core/v1/service/service-spec.ts";
import { formatIp } from "../../schema/values/ip.ts";
import type { CommitOutcome, Op } from "../../store/store.ts";
import type { Commit } from "../objects/registry.ts";
import { type ClusterIps, ipOf } from "./cluster-ips.ts";
import type { Parent } from "./ip-address-maker.ts";
import { type NodePorts, nodePortsKey } from "./node-ports.ts";
import type { AddressClaim } from "./service-addresses.ts";
import type { PortClaim } from "./service-ports.ts";
import { refusal } from "./service-refusal.ts";

/** What a write of a service takes and gives up; kept from others of this server until it has ended. */
export interface ServiceClaim {
  readonly addresses: AddressClaim;
  readonly ports: PortClaim;
  /**
   * Commits the write of the service together with all that it takes and gives up. It is one commit,
   * so that nothing leaks: there is never an address without its service, nor a service without it.
   */
  readonly commit: Commit | undefined;
  /** Whether another server has come to have what was chosen: choose again. */
  readonly isLost: boolean;
  end(): void;
}

export interface ClaimOptions {
  readonly clusterIps: ClusterIps;
  readonly nodePorts: NodePorts;
  readonly commit: Commit;
  /** Addresses that were lost before; those that are lost are added. */
  readonly avoided: Set<string>;
}

/** A claim for a write that is to be carried out. */
export function claimFor(
  service: ServiceDraft,
  { clusterIps, nodePorts, commit, avoided }: ClaimOptions,
): ServiceClaim {
  const { namespace = "", name = "" } = service.metadata;
  const parent: Parent = { namespace, name };
  /** Addresses by their keys, with the text in which the service asks for one. */
  const taken = new Map<string, { readonly name: string; readonly asked: string | undefined }>();
  const freed: string[] = [];
  const ports = { taken: new Set<number>(), givenUp: new Set<number>() };
  let isLost = false;

  const hold = (address: string, asked?: string) => {
    taken.set(clusterIps.keyOf(address), { name: address, asked });
    clusterIps.hold(address);
  };
  const holdPort = (port: number) => {
    ports.taken.add(port);
    nodePorts.hold(port);
  };
  const write = (ops: readonly Op[]) => (portOps: readonly Op[]) => {
    const taking = [...taken.values()].map((one) => clusterIps.taking(one.name, parent));
    const giving = freed.flatMap((address) => clusterIps.givingUp(address, parent));
    // What is missing is told in this order: an address that is taken before a name that is.
    return commit([...taking, ...giving, ...portOps, ...ops]);
  };

  return {
    addresses: {
      ask(address) {
        const why = clusterIps.whyNot(address, parent);
        const ip = ipOf(address);
        if (why === undefined && ip) hold(formatIp(ip), address);
        return why;
      },
      next(family: IpFamily) {
        const address = clusterIps.choose(family, parent, avoided);
        if (address !== undefined) hold(address);
        return address;
      },
      giveUp: (address) => void freed.push(address),
    },
    ports: {
      ask(port) {
        const why = nodePorts.whyNot(port);
        if (why === undefined) holdPort(port);
        return why;
      },
      next() {
        const port = nodePorts.choose();
        if (typeof port === "number") holdPort(port);
        return port;
      },
      giveUp: (port) => void ports.givenUp.add(port),
    },
    async commit(ops) {
      const outcome = await nodePorts.commit(ports, write(ops));
      if (outcome === "lost") {
        isLost = true;
        return { ok: false, key: nodePortsKey, current: undefined, revision: 0 };
      }
      if (outcome.ok) return outcome;
      const lost = taken.get(outcome.key);
      if (lost?.asked !== undefined) throw alreadyAllocated(service, lost.asked);
      if (lost) avoided.add(lost.name);
      isLost = isAllocation(outcome, ops);
      return outcome;
    },
    get isLost() {
      return isLost;
    },
    end() {
      for (const one of taken.values()) clusterIps.letGo(one.name);
      for (const port of ports.taken) nodePorts.letGo(port);
    },
  };
}

/** Whether what failed is what was claimed, and not the write itself. */
const isAllocation = (outcome: CommitOutcome & { ok: false }, ops: readonly Op[]): boolean =>
  !ops.some(({ key }) => key === outcome.key);

const alreadyAllocated = (service: ServiceDraft, asked: string) =>
  refusal(
    service,
    { path: "spec.clusterIPs", value: service.spec.clusterIPs },
    `failed to allocate IP ${asked}: provided IP is already allocated`,
  );
