import type { Metrics } from "../../base/metrics.ts";
import type { Committer } from "../objects/committer.ts";
import type { OwnParts } from "../verbs/writer.ts";
import type { AddressRange } from "./address-range.ts";
import { repairErrors } from "./allocation-metrics.ts";
import { ClusterIpRepair } from "./cluster-ip-repair.ts";
import type { ClusterIps } from "./cluster-ips.ts";
import { DefaultServiceCidr, type RangeStep } from "./default-service-cidr.ts";
import type { MakeIpAddress } from "./ip-address-maker.ts";
import type { NodePorts } from "./node-port-allocator.ts";
import { nodePortRepair } from "./node-port-repair.ts";
import { RepairEvents, tellOnce } from "./repair-events.ts";
import { RepairRounds, type RepairRoundsOptions } from "./repair-rounds.ts";
import type { ServiceRanges } from "./service-ranges.ts";

/** Something that runs beside the requests. */
export interface Running {
  /** Resolves when it has done its first work; rejects where that is not possible. */
  start(): Promise<void>;
  /** How far it has come. */
  readonly state: RunningState;
  /** Begins on a fork, where this was the state. */
  resume(state: RunningState): void;
  close(): void;
}

export interface RunningState {
  /** Whether there is nothing to do until something changes. */
  readonly isAtRest: boolean;
  /** The revision that was found to be well. */
  readonly well?: number;
  /** What was told, once. */
  readonly told?: readonly RangeStep[];
}

export interface RepairParts extends OwnParts {
  readonly committer: Committer;
}

export interface UpkeepOptions {
  readonly parts: RepairParts;
  /** What the server was started with. */
  readonly configured: readonly AddressRange[];
  readonly ranges: ServiceRanges;
  readonly clusterIps: ClusterIps;
  readonly nodePorts: NodePorts;
  readonly make: MakeIpAddress;
  readonly hostname: string;
  readonly metrics: Metrics;
}

/** What keeps ranges, addresses and ports in order, to be started one group after the other. */
export function upkeep(options: UpkeepOptions): Running[][] {
  const { parts, metrics } = options;
  const { log } = parts.environment;
  const failed = {
    services: repairErrors(metrics, "clusterip"),
    nodeports: repairErrors(metrics, "nodeport"),
  };
  const addresses = new ClusterIpRepair({
    ...options,
    events: eventsOf(options, "ipallocator-repair-controller"),
  });
  const ports = nodePortRepair({
    ...options,
    range: options.nodePorts.range,
    events: eventsOf(options, "portallocator-repair-controller"),
  });
  const rounds = (
    queue: keyof typeof failed,
    run: RepairRoundsOptions["run"],
    failure: string,
  ): RepairRounds =>
    new RepairRounds(parts, {
      queue,
      run,
      onError(error) {
        failed[queue].add(1);
        log.error(failure, error);
      },
    });
  const watching = new Watching(addresses);
  return [
    [watching, defaultRange(options), rounds("nodeports", ports, "repairing node ports failed")],
    // Without a range no address would be in range.
    [rounds("services", addresses.round, "repairing cluster IPs failed")],
  ];
}

/** What happens between rounds. */
class Watching implements Running {
  readonly #addresses: ClusterIpRepair;

  constructor(addresses: ClusterIpRepair) {
    this.#addresses = addresses;
  }
  async start(): Promise<void> {}
  get state(): RunningState {
    return { isAtRest: this.#addresses.isAtRest };
  }
  resume({ isAtRest }: RunningState): void {
    if (!isAtRest) this.#addresses.lookAtAll();
  }
  close(): void {
    this.#addresses.close();
  }
}

const eventsOf = ({ parts, hostname }: UpkeepOptions, controller: string) =>
  new RepairEvents(parts, { controller, hostname, log: parts.environment.log });

function defaultRange({ parts, configured }: UpkeepOptions): Running {
  return new DefaultServiceCidr({
    parts,
    cidrs: configured.map(({ cidr }) => cidr),
    tell: (object, reason, message) =>
      tellOnce(parts, object, {
        component: "kubernetes-service-cidr-controller",
        reason,
        message,
      }),
    onError: (error) =>
      parts.environment.log.error("syncing the default ServiceCIDR failed", error),
  });
}
