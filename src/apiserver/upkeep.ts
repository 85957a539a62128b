import type { Log } from "../base/log.ts";
import { keepFlowControl } from "./bootstrap/flow-control.ts";
import { Follower } from "./bootstrap/follower.ts";
import { keepLocalAvailability } from "./bootstrap/local-availability.ts";
import { ownRegistry } from "./bootstrap/own-work.ts";
import { keepRegistrations } from "./bootstrap/registrations.ts";
import { keepNamespaces } from "./bootstrap/system-namespaces.ts";
import type { Registry } from "./registry.ts";

/** Keeps what every cluster has as it should be, for as long as the server runs. */
export class Upkeep {
  readonly #registry: Registry;
  readonly #log: Log;
  readonly #followers: Follower[] = [];

  constructor(registry: Registry, log: Log) {
    this.#registry = ownRegistry(registry);
    this.#log = log;
  }

  /** Begins; resolves when everything was looked at once. */
  async start(): Promise<void> {
    const registry = this.#registry;
    const keepers = [
      ...keepNamespaces(registry),
      ...keepFlowControl(registry),
      ...keepRegistrations(registry),
      ...keepLocalAvailability(registry),
    ];
    for (const keeper of keepers) this.#followers.push(new Follower(registry, this.#log, keeper));
    await Promise.all(this.#followers.map((follower) => follower.start()));
  }

  close(): void {
    for (const follower of this.#followers) follower.close();
  }
}
