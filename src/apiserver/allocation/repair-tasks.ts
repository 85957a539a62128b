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
import { RepairEvents, reportOnce } from "./repair-events.ts";
import { RepairRounds, type RepairRoundsOptions } from "./repair-rounds.ts";
import type { ServiceRanges } from "./service-ranges.ts";

/** Work that runs in the background. */
export interface BackgroundTask {
  /** Resolves after the first run; rejects if that fails. */
  start(): Promise<void>;
  /** Its state, which a fork resumes from. */
  readonly state: TaskState;
  /** Starts on a fork, from the state of the parent's task. */
  resume(state: TaskState): void;
  close(): void;
}

export interface TaskState {
  /** Whether it has nothing to do until something changes. */
  readonly isIdle: boolean;
  /** The revision at which nothing needed repair. */
  readonly verifiedRevision?: number;
  /** The problems that were reported, each once. */
  readonly reported?: readonly RangeStep[];
}

export interface RepairParts extends OwnParts {
  readonly committer: Committer;
}

export interface RepairTasksOptions {
  readonly parts: RepairParts;
  /** The ranges that the server was started with. */
  readonly configured: readonly AddressRange[];
  readonly ranges: ServiceRanges;
  readonly clusterIps: ClusterIps;
  readonly nodePorts: NodePorts;
  readonly make: MakeIpAddress;
  readonly hostname: string;
  readonly metrics: Metrics;
}

/** The tasks that repair ranges, addresses and ports, in groups that are started one after the other. */
export function repairTasks(options: RepairTasksOptions): BackgroundTask[][] {
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
  const changed = new ChangedAddresses(addresses);
  return [
    [changed, defaultRange(options), rounds("nodeports", ports, "repairing node ports failed")],
    // Cluster IPs are checked once the default range exists: before, all would be out of range.
    [rounds("services", addresses.round, "repairing cluster IPs failed")],
  ];
}

/** Checks IPAddresses that change between the rounds. */
class ChangedAddresses implements BackgroundTask {
  readonly #addresses: ClusterIpRepair;

  constructor(addresses: ClusterIpRepair) {
    this.#addresses = addresses;
  }
  async start(): Promise<void> {}
  get state(): TaskState {
    return { isIdle: this.#addresses.isIdle };
  }
  resume({ isIdle }: TaskState): void {
    if (!isIdle) this.#addresses.enqueueAll();
  }
  close(): void {
    this.#addresses.close();
  }
}

const eventsOf = ({ parts, hostname }: RepairTasksOptions, controller: string) =>
  new RepairEvents(parts, { controller, hostname, log: parts.environment.log });

function defaultRange({ parts, configured }: RepairTasksOptions): BackgroundTask {
  return new DefaultServiceCidr({
    parts,
    cidrs: configured.map(({ cidr }) => cidr),
    report: (object, reason, message) =>
      reportOnce(parts, object, {
        component: "kubernetes-service-cidr-controller",
        reason,
        message,
      }),
    onError: (error) =>
      parts.environment.log.error("syncing the default ServiceCIDR failed", error),
  });
}
