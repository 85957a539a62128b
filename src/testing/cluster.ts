/// <reference lib="esnext.disposable" preserve="true" />
import type { ApiRequest, ApiResponse } from "../apiserver/request/request.ts";
import type { Clock } from "../base/clock.ts";
import type { Random } from "../base/random.ts";
import type { Client } from "../client/client.ts";
import type { Impersonation } from "../client/impersonated-user.ts";
import type { Transport } from "../client/transport.ts";
import type { Runnable } from "../controller-runtime/manager/manager-options.ts";
import type { Controller } from "../controller-runtime/reconcile/controller-definition.ts";
import type { Kubectl } from "../kubectl/kubectl.ts";
import type { Faults } from "./faults/fault.ts";
import type { RunningControllers, RunOptions } from "./run-controllers.ts";
import type { ServedWebhook, WebhookFunction } from "./serve-webhook.ts";

/** A test cluster: the real API server in the same process. */
export interface Cluster extends AsyncDisposable {
  /** A client with all permissions. */
  readonly client: Client;
  /** The transport of the client. */
  readonly transport: Transport;
  /** The clock of the cluster; use it for your own components. */
  readonly clock: Clock;
  /** Random numbers from the cluster's seed, for your own components. */
  readonly random: Random;
  readonly server: ClusterServer;
  /** Injects faults between the API server and the components. */
  readonly faults: Faults;
  /** Returns a client that impersonates a user, by name or with groups and extra attributes. */
  as(user: string | Impersonation): Client;
  /** Runs a command line of kubectl, with all permissions: `await cluster.kubectl("get pods")`. */
  readonly kubectl: Kubectl;
  /**
   * Runs controllers until they are stopped or disposed of, and resolves once they have reconciled what
   * there is: `await using running = await cluster.run(widgets)`.
   */
  run(
    controllers: Controller | readonly (Controller | Runnable)[],
    options?: RunOptions,
  ): Promise<RunningControllers>;
  /**
   * Serves a function as an admission webhook, for configurations that the test writes itself. They name it in
   * `clientConfig: { url: webhook.url }`, and `using webhook = cluster.serveWebhook(…)` ends it.
   */
  serveWebhook(decide: WebhookFunction): ServedWebhook;
  /** Returns an independent copy of the cluster with all of its objects. */
  fork(): Cluster;
  /**
   * Advances the virtual clock, by milliseconds or by a duration such as `90s` or `24h`. Timers fire in
   * order, each at its time and after the work of the previous one has finished.
   */
  advance(duration: number | string): Promise<void>;
  /** Resolves when all work has finished that does not wait for a timer. */
  settled(): Promise<void>;
  /** Stops the cluster; pending requests fail. */
  close(): Promise<void>;
}

/** The API server of a cluster, without a socket. */
export interface ClusterServer {
  /** Handles a request of any client; never rejects. */
  readonly handle: (request: ApiRequest) => Promise<ApiResponse>;
}
