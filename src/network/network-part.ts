import type { Pod } from "../api/core/v1/pod/pod.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Metrics } from "../base/metrics.ts";
import type { Random } from "../base/random.ts";
import type { Client } from "../client/client.ts";
import type { Informers } from "../client/informer/informers.ts";

/** What the parts of a node's network work with. */
export interface NetworkEnvironment {
  readonly nodeName: string;
  /** The addresses of the node, the preferred one first. */
  readonly nodeIPs: readonly string[];
  readonly client: Client;
  /** Shared by all parts, so that a kind is watched once. */
  readonly informers: Informers;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** A part of a node's network that runs. */
export interface NetworkPart {
  /**
   * Resolves when the network is ready for the containers of a pod of this node, whose status has its addresses. The
   * API need not have them yet. A rejection is retried.
   */
  podStarts?(pod: Pod): Promise<void>;
  /** Stops following the cluster. What the kernel has been told stays. */
  close(): Promise<void>;
}
