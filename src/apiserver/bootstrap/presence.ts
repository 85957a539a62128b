import { Lease } from "../../api/coordination/v1/lease.ts";
import { Endpoints } from "../../api/core/v1/service/endpoints.ts";
import { withDeadline } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { hostPort } from "../../base/network.ts";
import type { Committer } from "../objects/committer.ts";
import type { OwnParts } from "../verbs/writer.ts";
import {
  type Advertise,
  EndpointReconciler,
  type EndpointReconcilerType,
} from "./endpoint-reconciler.ts";
import { IdentityLease } from "./identity-lease.ts";
import { ReconcileLoop, type Reconciler } from "./reconcile-loop.ts";

export interface PresenceParts extends OwnParts {
  readonly committer: Committer;
}

export interface PresenceOptions {
  readonly log: Log;
  readonly sha256: (text: string) => Uint8Array;
  /** The address of this server for other components; not published if not given. */
  readonly advertise?: Advertise;
  /** How the addresses of all servers are found; by leases if not given. */
  readonly endpointReconciler?: EndpointReconcilerType;
  /** The name of this machine, for the identity lease; there is none if not given. */
  readonly hostname?: string;
  /**
   * Whether other servers may be open on the same store. They know of each other by leases, which are
   * renewed every ten seconds; a single server writes nothing while nothing changes. False if not given.
   */
  readonly sharedStore?: boolean;
}

/** How long a server that stops waits for its withdrawal. */
const withdrawalMs = 20_000;

/** Publishes this server in the cluster and to other servers, once it listens. */
export class Presence {
  readonly #parts: PresenceParts;
  readonly #options: PresenceOptions;
  readonly #running: { readonly loop: ReconcileLoop; readonly leave: () => Promise<void> }[] = [];

  constructor(parts: PresenceParts, options: PresenceOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  /** Publishes this server; resolves when it is in the endpoints. Its lease is written later. */
  async announce(): Promise<void> {
    const [endpoints, lease] = [this.#endpoints(), this.#lease()];
    await Promise.all(endpoints.map((reconciler) => this.#start(reconciler)));
    for (const reconciler of lease) void this.#start(reconciler);
  }

  /**
   * Removes this server from the endpoints, if there may be others. Failures and timeouts are only
   * logged, so that the server stops: its leases expire.
   */
  async withdraw(): Promise<void> {
    const deadline = { clock: this.#parts.environment.clock, ms: withdrawalMs };
    const work = this.#running.splice(0).map(({ loop, leave }) =>
      withDeadline(deadline, async () => {
        await loop.stop();
        await leave();
      }).catch((error: unknown) => this.#options.log.error("withdrawing failed", error)),
    );
    await Promise.all(work);
  }

  /** Stops without a withdrawal, as a server that crashes does. */
  close(): void {
    for (const { loop } of this.#running) loop.close();
  }

  #start(reconciler: Reconciler & { leave(): Promise<void> }): Promise<void> {
    const loop = new ReconcileLoop(this.#parts, this.#options.log, reconciler);
    this.#running.push({ loop, leave: () => reconciler.leave() });
    return loop.start();
  }

  #endpoints(): EndpointReconciler[] {
    const parts = this.#parts;
    const { advertise, sharedStore: isShared = false } = this.#options;
    const { endpointReconciler: type = { by: "lease" } } = this.#options;
    if (!advertise || type.by === "none" || !parts.reader.serves(Endpoints)) return [];
    return [new EndpointReconciler(parts, { advertise, isShared, type })];
  }

  #lease(): IdentityLease[] {
    const parts = this.#parts;
    const { advertise, hostname, sharedStore: isShared = false, sha256 } = this.#options;
    if (hostname === undefined || !parts.reader.serves(Lease)) return [];
    const peerAddress = advertise && hostPort(advertise.address, advertise.port());
    return [new IdentityLease(parts, { hostname, isShared, sha256, peerAddress })];
  }
}
