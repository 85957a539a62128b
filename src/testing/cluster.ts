/// <reference lib="esnext.disposable" preserve="true" />
import type { ApiRequest, ApiResponse } from "../apiserver/request/request.ts";
import type { Clock } from "../base/clock.ts";
import type { Random } from "../base/random.ts";
import type { Client } from "../client/client.ts";
import type { Impersonation } from "../client/impersonated-user.ts";
import type { Transport } from "../client/transport.ts";
import type { Faults } from "./faults/fault.ts";

/** A cluster in a test: the real API server in the same process. */
export interface Cluster extends AsyncDisposable {
  /** May do everything. */
  readonly client: Client;
  /** What the client calls through. */
  readonly transport: Transport;
  /** The cluster's time, for whatever takes part in it. */
  readonly clock: Clock;
  /** Chance for whatever takes part in it: it repeats itself from the seed. */
  readonly random: Random;
  readonly server: ClusterServer;
  /** What goes wrong between the API server and those who run beside it. */
  readonly faults: Faults;
  /** A client in the name of another, by name alone or with groups and more. */
  as(user: string | Impersonation): Client;
  /** A cluster with all that this one has, which goes its own way from here. */
  fork(): Cluster;
  /**
   * Lets a virtual clock go on, by milliseconds or as far as a text such as `90s` or `24h` says; what
   * falls due on the way happens at its time, and comes to rest before the next.
   */
  advance(duration: number | string): Promise<void>;
  /** Resolves when nothing is left to do but to wait for time. */
  settled(): Promise<void>;
  /** Ends it, and all that waits for it. */
  close(): Promise<void>;
}

/** The API server of a cluster, without a socket. */
export interface ClusterServer {
  /** Answers a request of any client; never throws. */
  readonly handle: (request: ApiRequest) => Promise<ApiResponse>;
}
