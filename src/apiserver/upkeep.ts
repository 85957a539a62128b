import type { Log } from "../base/log.ts";
import { keepAuthenticationConfig } from "./bootstrap/authentication-config.ts";
import type { ClusterAuthentication } from "./bootstrap/cluster-authentication.ts";
import { keepFlowControl } from "./bootstrap/flow-control.ts";
import { Follower } from "./bootstrap/follower.ts";
import { keepLegacyTokenTracking } from "./bootstrap/legacy-token-tracking.ts";
import { keepLocalAvailability } from "./bootstrap/local-availability.ts";
import { ownRegistry } from "./bootstrap/own-work.ts";
import { keepRegistrations } from "./bootstrap/registrations.ts";
import { keepNamespaces } from "./bootstrap/system-namespaces.ts";
import type { Registry } from "./registry.ts";

export interface UpkeepOptions {
  readonly log: Log;
  /** What is published of how clients are known; nothing if not given. */
  readonly clusterAuthentication?: ClusterAuthentication;
}

/** Keeps what every cluster has as it should be, for as long as the server runs. */
export class Upkeep {
  readonly #registry: Registry;
  readonly #options: UpkeepOptions;
  readonly #followers: Follower[] = [];

  constructor(registry: Registry, options: UpkeepOptions) {
    this.#registry = ownRegistry(registry);
    this.#options = options;
  }

  /** Begins; resolves when everything was looked at once. */
  async start(): Promise<void> {
    const registry = this.#registry;
    const { log, clusterAuthentication } = this.#options;
    const keepers = [
      ...keepNamespaces(registry),
      ...keepFlowControl(registry),
      ...keepRegistrations(registry),
      ...keepLocalAvailability(registry),
      ...(clusterAuthentication ? keepAuthenticationConfig(registry, clusterAuthentication) : []),
      ...keepLegacyTokenTracking(registry),
    ];
    for (const keeper of keepers) this.#followers.push(new Follower(registry, log, keeper));
    await Promise.all(this.#followers.map((follower) => follower.start()));
  }

  close(): void {
    for (const follower of this.#followers) follower.close();
  }
}
