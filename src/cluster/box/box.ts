import type { ProcessIdentity } from "../../platform/process-identity.ts";
import type { ChildResult } from "../../platform/run-child.ts";
import type { BoxAddresses } from "./box-network.ts";

export interface BoxOptions extends BoxAddresses {
  readonly cluster: string;
  /** The name of the node, which is the hostname in the box. */
  readonly node: string;
  /** The folder of all that the box changes, on a file system that can be the upper layer of an overlay. */
  readonly folder: string;
  /** Paths that the box has as they are on the machine, such as the program that it runs. They must exist. */
  readonly keep: readonly string[];
}

/**
 * The machine of a node: namespaces (network, mounts, processes, host name, IPC) with a first process of their own.
 * It runs until it is closed, whatever happens to the process that opened it.
 */
export interface Box {
  /** Its first process, which stands for the box. */
  readonly init: ProcessIdentity;
  /** Its root directory on the machine: a file that is written below is in the box at once. */
  readonly root: string;
  /** The parent of the cgroups of its pods. */
  readonly cgroupParent: string;
  /** Whether it ran before it was opened. */
  readonly isTakenOver: boolean;
  /**
   * Paths to keep that the box does not have as they are now, because they were replaced since it was made. What
   * runs is not affected; a program there can be started after the box was closed and opened again.
   */
  readonly stale: readonly string[];
  /** Has the machine send packets to pods through the box. */
  routePods(podCidr: string): Promise<void>;
  /** Has the machine send packets to services through the box; resolves with a warning if it cannot. */
  routeServices(range: string): Promise<string | undefined>;
  /** The same for a range of IPv6, which is the cluster's alone. */
  routeIpv6Services(range: string): Promise<void>;
  /** Runs a program in the box to its end. */
  run(program: string, args: readonly string[]): Promise<ChildResult>;
  /** Starts a program that outlives this process; rejects if the process of this name still runs. */
  spawn(name: string, command: BoxCommand): Promise<BoxProcess>;
  /** The process of a name that was started last, by this process or an earlier one, if it still runs. */
  find(name: string): Promise<ProcessIdentity | undefined>;
}

export interface BoxCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** The file on the machine to which its output is appended. */
  readonly log: string;
  /** Its environment; by default that of this process without the folders of its user. */
  readonly env?: NodeJS.ProcessEnv | undefined;
}

export interface BoxProcess {
  readonly identity: ProcessIdentity;
  /** Resolves with its exit code; does not keep this process alive. */
  readonly ended: Promise<number>;
}
