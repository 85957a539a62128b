import { withDeadline } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { hostPort } from "../../base/network.ts";
import type { VerbParts } from "../verbs/verb-parts.ts";
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

/** How long a server that stops waits for others to know. */
const withdrawalMs = 20_000;

/** Makes this server known in the cluster, and to other servers, from when it can be reached. */
export class Presence {
  readonly #parts: VerbParts;
  readonly #options: PresenceOptions;
  readonly #running: { readonly follower: Follower; readonly leave: () => Promise<void> }[] = [];

  constructor(parts: VerbParts, options: PresenceOptions) {
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
    const kind = parts.resources.find("", "v1", "endpoints");
    return advertise && kind ? [new EndpointReconciler({ parts, advertise, isShared, kind })] : [];
  }

  #lease(): IdentityLease[] {
    const parts = this.#parts;
    const { advertise, hostname, sharedStore: isShared = false, sha256 } = this.#options;
    const kind = parts.resources.find("coordination.k8s.io", "v1", "leases");
    if (hostname === undefined || !kind) return [];
    const peerAddress = advertise && hostPort(advertise.address, advertise.port());
    return [new IdentityLease(parts, kind, { hostname, isShared, sha256, peerAddress })];
  }
}
