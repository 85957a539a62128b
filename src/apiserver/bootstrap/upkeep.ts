import { defaultServiceRange } from "../allocation/service-network.ts";
import type { Resources } from "../objects/resources.ts";
import type { VerbParts } from "../verbs/verb-parts.ts";
import { ownParts } from "../verbs/writer.ts";
import { keepAuthenticationConfig } from "./authentication-config.ts";
import type { ClusterAuthentication } from "./cluster-authentication.ts";
import { keepFlowControl } from "./flow-control.ts";
import { Follower, type Keeper } from "./follower.ts";
import { keepKubernetesService } from "./kubernetes-service.ts";
import { keepLegacyTokenTracking } from "./legacy-token-tracking.ts";
import { keepLocalAvailability } from "./local-availability.ts";
import { Presence, type PresenceOptions, type PresenceParts } from "./presence.ts";
import { keepRegistrations } from "./registrations.ts";
import { keepNamespaces } from "./system-namespaces.ts";

export interface UpkeepOptions extends PresenceOptions {
  /** What is published of how clients are known; nothing if not given. */
  readonly clusterAuthentication?: ClusterAuthentication;
  /** The range that cluster IPs are taken from. */
  readonly serviceRange?: string;
  /** The port on all nodes under which the service `kubernetes` is reached, too; none if not given. */
  readonly kubernetesServiceNodePort?: number;
}

/** What the service `kubernetes` says where it is not known which port is served. */
const usualPort = 6443;

/** Keeps what every cluster has as it should be, for as long as the server runs. */
export class Upkeep {
  readonly #parts: PresenceParts & { readonly resources: Resources };
  readonly #options: UpkeepOptions;
  readonly #presence: Presence;
  readonly #followers: Follower[] = [];

  constructor(parts: VerbParts, options: UpkeepOptions) {
    const { committer, resources } = parts;
    this.#parts = { ...ownParts(parts), committer, resources };
    this.#options = options;
    this.#presence = new Presence(this.#parts, options);
  }

  /** Begins; resolves when everything was looked at once. */
  start(): Promise<void> {
    return this.#follow(this.#keepers(false));
  }

  /** Whether everything was looked at. */
  get isAtRest(): boolean {
    return this.#followers.every(({ isAtRest }) => isAtRest);
  }

  /** Begins on a fork; looks at nothing if that of the first server was at rest. */
  resume(isKept: boolean): void {
    const followers = this.#add(this.#keepers(isKept));
    for (const follower of followers) {
      if (isKept) follower.follow();
      else void follower.start();
    }
  }

  /** Says that the server can be reached, once it can. */
  async announce(): Promise<void> {
    const { advertise } = this.#options;
    await Promise.all([
      this.#follow(advertise ? this.#service(advertise.port) : []),
      this.#presence.announce(),
    ]);
  }

  /** Says that the server is about to go. */
  withdraw(): Promise<void> {
    return this.#presence.withdraw();
  }

  close(): void {
    this.#presence.close();
    for (const follower of this.#followers) follower.close();
  }

  #keepers(isKept: boolean): Keeper[] {
    const parts = this.#parts;
    const { clusterAuthentication, advertise } = this.#options;
    return [
      ...keepNamespaces(parts),
      ...keepFlowControl(parts),
      ...keepRegistrations(parts, { isKept }),
      ...keepLocalAvailability(parts),
      ...(clusterAuthentication ? keepAuthenticationConfig(parts, clusterAuthentication) : []),
      ...keepLegacyTokenTracking(parts, { isKept }),
      ...(advertise ? [] : this.#service(() => usualPort)),
    ];
  }

  #service(port: () => number): Keeper[] {
    const { serviceRange = defaultServiceRange, kubernetesServiceNodePort: nodePort = 0 } =
      this.#options;
    return keepKubernetesService(this.#parts, { serviceRange, port, nodePort });
  }

  async #follow(keepers: readonly Keeper[]): Promise<void> {
    await Promise.all(this.#add(keepers).map((follower) => follower.start()));
  }

  #add(keepers: readonly Keeper[]): Follower[] {
    const { log } = this.#options;
    const followers = keepers.map((keeper) => new Follower(this.#parts, log, keeper));
    this.#followers.push(...followers);
    return followers;
  }
}
