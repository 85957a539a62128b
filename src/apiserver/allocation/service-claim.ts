import type { IpFamily } from "../../api/core/v1/service/service-cluster-ips.ts";
import type { ServiceDraft } from "../../api/core/v1/service/service-spec.ts";
import { formatIp } from "../../schema/values/ip.ts";
import type { CommitPart } from "../objects/commit-part.ts";
import { type ClusterIps, ipOf } from "./cluster-ips.ts";
import type { Parent } from "./ip-address-maker.ts";
import type { NodePorts } from "./node-port-allocator.ts";
import type { AddressClaim } from "./service-addresses.ts";
import type { PortClaim } from "./service-ports.ts";
import { rejection } from "./service-rejection.ts";

/** The values that a write claims and releases. Other writes of this server cannot claim them meanwhile. */
export interface ServiceClaim {
  readonly addresses: AddressClaim;
  readonly ports: PortClaim;
  /**
   * The changes that are stored in the commit of the service, so that neither exists without the other.
   * Absent for a dry run.
   */
  readonly part: CommitPart | undefined;
  end(): void;
}

export interface ClaimOptions {
  readonly clusterIps: ClusterIps;
  readonly nodePorts: NodePorts;
  /** Addresses that other servers took first; further ones are added. */
  readonly avoided: Set<string>;
}

/** A claim for a write that will be committed. */
export function claimFor(
  service: ServiceDraft,
  { clusterIps, nodePorts, avoided }: ClaimOptions,
): ServiceClaim {
  const { namespace = "", name = "" } = service.metadata;
  const parent: Parent = { namespace, name };
  /** Addresses by key; `requested` is the text in the service. */
  const taken = new Map<
    string,
    { readonly name: string; readonly requested: string | undefined }
  >();
  const freed: string[] = [];
  const ports = { taken: new Set<number>(), givenUp: new Set<number>() };

  const hold = (address: string, requested?: string) => {
    taken.set(clusterIps.keyOf(address), { name: address, requested });
    clusterIps.hold(address);
  };
  const holdPort = (port: number) => {
    ports.taken.add(port);
    nodePorts.hold(port);
  };
  const portChange = nodePorts.change(ports);
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
    part: {
      get lane() {
        return portChange.lane;
      },
      changes() {
        const portChanges = portChange.changes();
        if (portChanges === "lost") return "lost";
        const taking = [...taken.values()].map((one) => clusterIps.taking(one.name, parent));
        const giving = freed.flatMap((address) => clusterIps.givingUp(address, parent));
        return [...taking, ...giving, ...portChanges];
      },
      failed(outcome) {
        const lost = taken.get(outcome.key);
        if (lost?.requested !== undefined) throw alreadyAllocated(service, lost.requested);
        if (lost) avoided.add(lost.name);
        if (lost || freed.some((address) => clusterIps.isKeyOf(outcome.key, address)))
          return "lost";
        return portChange.failed(outcome);
      },
    },
    end() {
      for (const one of taken.values()) clusterIps.letGo(one.name);
      for (const port of ports.taken) nodePorts.letGo(port);
    },
  };
}

const alreadyAllocated = (service: ServiceDraft, requested: string) =>
  rejection(
    service,
    { path: "spec.clusterIPs", value: service.spec.clusterIPs },
    `failed to allocate IP ${requested}: provided IP is already allocated`,
  );
