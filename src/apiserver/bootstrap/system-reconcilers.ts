import { defaultServiceRange } from "../allocation/service-network.ts";
import type { Resources } from "../objects/resources.ts";
import type { VerbParts } from "../verbs/verb-parts.ts";
import { ownParts } from "../verbs/writer.ts";
import { authenticationConfigReconciler } from "./authentication-config.ts";
import { type ClusterAuthentication, succeeding } from "./cluster-authentication.ts";
import { leaseCandidateReconciler } from "./coordination/lease-candidates.ts";
import { flowControlReconciler } from "./flow-control.ts";
import { kubernetesServiceReconciler } from "./kubernetes-service.ts";
import { legacyTokenReconciler } from "./legacy-token-tracking.ts";
import { localAvailabilityReconciler } from "./local-availability.ts";
import { Presence, type PresenceOptions, type PresenceParts } from "./presence.ts";
import { ReconcileLoop, type Reconciler } from "./reconcile-loop.ts";
import { registrationReconciler } from "./registrations.ts";
import { namespaceReconciler } from "./system-namespaces.ts";

export interface SystemReconcilersOptions extends PresenceOptions {
  /** How clients are authenticated, which is published in a config map; nothing is if not given. */
  readonly clusterAuthentication?: ClusterAuthentication;
  /** The range of cluster IPs. */
  readonly serviceRange?: string;
  /** The node port of the service `kubernetes`; none if not given. */
  readonly kubernetesServiceNodePort?: number;
}

/** The target port of the service `kubernetes` if the server's port is not known. */
const usualPort = 6443;

/** Reconciles the objects that every cluster has while the server runs. */
export class SystemReconcilers {
  readonly #parts: PresenceParts & { readonly resources: Resources };
  readonly #options: SystemReconcilersOptions;
  readonly #presence: Presence;
  readonly #loops: ReconcileLoop[] = [];
  #authentication: ClusterAuthentication | undefined;

  constructor(parts: VerbParts, options: SystemReconcilersOptions) {
    const { committer, resources } = parts;
    this.#parts = { ...ownParts(parts), committer, resources };
    this.#options = options;
    this.#authentication = options.clusterAuthentication;
    this.#presence = new Presence(this.#parts, options);
  }

  /** Starts all reconcilers; resolves after the first run of each. */
  start(): Promise<void> {
    return this.#start(this.#reconcilers(false));
  }

  /** Whether all changes have been reconciled. */
  get isIdle(): boolean {
    return this.#loops.every(({ isIdle }) => isIdle);
  }

  /** Starts on a fork; without a run if the parent was idle. */
  resume(isReconciled: boolean): void {
    const loops = this.#add(this.#reconcilers(isReconciled));
    for (const loop of loops) {
      if (isReconciled) loop.watch();
      else void loop.start();
    }
  }

  /** Publishes the address of this server, to be called once it listens. */
  async announce(): Promise<void> {
    const { advertise } = this.#options;
    await Promise.all([
      this.#start(advertise ? this.#service(advertise.port) : []),
      this.#presence.announce(),
    ]);
  }

  /** Publishes another way of authenticating clients, if one was given at the start. */
  renewAuthentication(next: ClusterAuthentication): void {
    if (!this.#authentication) return;
    this.#authentication = succeeding(this.#authentication, next);
    // The other loops find nothing to do.
    for (const loop of this.#loops) void loop.trigger();
  }

  /** Withdraws the address of this server before it stops. */
  withdraw(): Promise<void> {
    return this.#presence.withdraw();
  }

  close(): void {
    this.#presence.close();
    for (const loop of this.#loops) loop.close();
  }

  #reconcilers(isReconciled: boolean): Reconciler[] {
    const parts = this.#parts;
    const { advertise } = this.#options;
    const authentication = (): ClusterAuthentication => this.#authentication ?? {};
    return [
      ...namespaceReconciler(parts),
      ...flowControlReconciler(parts),
      ...registrationReconciler(parts, { isReconciled }),
      ...localAvailabilityReconciler(parts),
      ...leaseCandidateReconciler(parts),
      ...(this.#authentication ? authenticationConfigReconciler(parts, authentication) : []),
      ...legacyTokenReconciler(parts, { isReconciled }),
      ...(advertise ? [] : this.#service(() => usualPort)),
    ];
  }

  #service(port: () => number): Reconciler[] {
    const { serviceRange = defaultServiceRange, kubernetesServiceNodePort: nodePort = 0 } =
      this.#options;
    return kubernetesServiceReconciler(this.#parts, { serviceRange, port, nodePort });
  }

  async #start(reconcilers: readonly Reconciler[]): Promise<void> {
    await Promise.all(this.#add(reconcilers).map((loop) => loop.start()));
  }

  #add(reconcilers: readonly Reconciler[]): ReconcileLoop[] {
    const { log } = this.#options;
    const loops = reconcilers.map((reconciler) => new ReconcileLoop(this.#parts, log, reconciler));
    this.#loops.push(...loops);
    return loops;
  }
}
