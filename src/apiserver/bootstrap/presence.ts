import { Lease } from "../../api/coordination/v1/lease.ts";
import { Endpoints } from "../../api/core/v1/service/endpoints.ts";
import { withDeadline } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { hostPort } from "../../base/network.ts";
import type { Committer } from "../objects/committer.ts";
import type { OwnParts } from "../verbs/writer.ts";
import { type Advertise, EndpointReconciler } from "./endpoint-reconciler.ts";
import { Follower, type Keeper } from "./follower.ts";
import { IdentityLease } from "./identity-lease.ts";

export interface PresenceParts extends OwnParts {
  readonly committer: Committer;
}

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

/** How long a server that stops waits for others to know. */
const withdrawalMs = 20_000;

/** Makes this server known in the cluster, and to other servers, from when it can be reached. */
export class Presence {
  readonly #parts: PresenceParts;
  readonly #options: PresenceOptions;
  readonly #running: { readonly follower: Follower; readonly leave: () => Promise<void> }[] = [];

  constructor(parts: PresenceParts, options: PresenceOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  /** Says that this server can be reached; resolves when the endpoints do. Nobody waits for its lease. */
  async announce(): Promise<void> {
    const [endpoints, lease] = [this.#endpoints(), this.#lease()];
    await Promise.all(endpoints.map((keeper) => this.#start(keeper)));
    for (const keeper of lease) void this.#start(keeper);
  }

  /**
   * Says that it can be reached no more, where others go on. That this fails, or takes long, does not
   * keep the server from stopping: its leases end by themselves.
   */
  async withdraw(): Promise<void> {
    const deadline = { clock: this.#parts.environment.clock, ms: withdrawalMs };
    const work = this.#running.splice(0).map(({ follower, leave }) =>
      withDeadline(deadline, async () => {
        await follower.stop();
        await leave();
      }).catch((error: unknown) => this.#options.log.error("withdrawing failed", error)),
    );
    await Promise.all(work);
  }

  /** Stops without a word, as a server that dies does. */
  close(): void {
    for (const { follower } of this.#running) follower.close();
  }

  #start(keeper: Keeper & { leave(): Promise<void> }): Promise<void> {
    const follower = new Follower(this.#parts, this.#options.log, keeper);
    this.#running.push({ follower, leave: () => keeper.leave() });
    return follower.start();
  }

  #endpoints(): EndpointReconciler[] {
    const parts = this.#parts;
    const { advertise, sharedStore: isShared = false } = this.#options;
    if (!advertise || !parts.reader.serves(Endpoints)) return [];
    return [new EndpointReconciler(parts, { advertise, isShared })];
  }

  #lease(): IdentityLease[] {
    const parts = this.#parts;
    const { advertise, hostname, sharedStore: isShared = false, sha256 } = this.#options;
    if (hostname === undefined || !parts.reader.serves(Lease)) return [];
    const peerAddress = advertise && hostPort(advertise.address, advertise.port());
    return [new IdentityLease(parts, { hostname, isShared, sha256, peerAddress })];
  }
}
