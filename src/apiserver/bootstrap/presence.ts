import type { Log } from "../../base/log.ts";
import type { Registry } from "../registry.ts";
import { type Advertise, EndpointReconciler } from "./endpoint-reconciler.ts";
import { Follower, type Keeper } from "./follower.ts";
import { IdentityLease } from "./identity-lease.ts";

export interface PresenceOptions {
  readonly log: Log;
  readonly sha256: (text: string) => Uint8Array;
  /** Where other parts of the cluster reach this server; nobody is told if not given. */
  readonly advertise?: Advertise;
  /** The name of this machine, by which the server has a lease; none if not given. */
  readonly hostname?: string;
  /**
   * Whether other servers may be open on the same store. They know of each other by leases, which are
   * renewed every ten seconds; a single server writes nothing while nothing happens. False if not given.
   */
  readonly sharedStore?: boolean;
}

/** Makes this server known in the cluster, and to other servers, from when it can be reached. */
export class Presence {
  readonly #registry: Registry;
  readonly #options: PresenceOptions;
  #parts: { readonly follower: Follower; readonly leave: () => Promise<void> }[] = [];

  constructor(registry: Registry, options: PresenceOptions) {
    this.#registry = registry;
    this.#options = options;
  }

  /** Says that this server can be reached; resolves when everybody can know. */
  async announce(): Promise<void> {
    this.#parts = this.#keepers().map((keeper) => ({
      follower: new Follower(this.#registry, this.#options.log, keeper),
      leave: () => keeper.leave(),
    }));
    await Promise.all(this.#parts.map(({ follower }) => follower.start()));
  }

  /** Says that it can be reached no more, where others go on. */
  async withdraw(): Promise<void> {
    await Promise.all(
      this.#parts.splice(0).map(async ({ follower, leave }) => {
        await follower.stop();
        await leave();
      }),
    );
  }

  /** Stops without a word, as a server that dies does. */
  close(): void {
    for (const { follower } of this.#parts) follower.close();
  }

  #keepers(): (Keeper & { leave(): Promise<void> })[] {
    const registry = this.#registry;
    const { advertise, hostname, sharedStore: isShared = false, sha256 } = this.#options;
    const endpoints = registry.resources.find("", "v1", "endpoints");
    const leases = registry.resources.find("coordination.k8s.io", "v1", "leases");
    return [
      ...(advertise && endpoints
        ? [new EndpointReconciler({ registry, advertise, isShared, kind: endpoints })]
        : []),
      ...(hostname !== undefined && leases
        ? [
            new IdentityLease(registry, leases, {
              hostname,
              isShared,
              sha256,
              peerAddress: advertise && hostPort(advertise),
            }),
          ]
        : []),
    ];
  }
}

const hostPort = ({ address, port }: Advertise): string =>
  address.includes(":") ? `[${address}]:${port()}` : `${address}:${port()}`;
