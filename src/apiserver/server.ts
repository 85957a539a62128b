import type { Timer } from "../base/clock.ts";
import type { Network } from "../base/network.ts";
import { queueMetrics } from "../base/queue/queue-metrics.ts";
import { admissionChain } from "./admission/admission.ts";
import { admissionPlugins } from "./admission/plugins.ts";
import { selectPlugins } from "./admission/select-plugins.ts";
import { Aggregation } from "./aggregation/aggregation.ts";
import type { ProxyClient } from "./aggregation/remote-servers.ts";
import { type ServiceAllocation, serviceAllocation } from "./allocation/service-allocation.ts";
import { lostEvents } from "./audit/audit-sink.ts";
import { Auditing } from "./audit/auditing.ts";
import type { Authentication } from "./authentication/authenticate.ts";
import type { CheckedAuthentication } from "./authentication/jwt/read-authentication-configuration.ts";
import {
  labelHash,
  type ServerAuthentication,
  serverAuthentication,
} from "./authentication/server-authentication.ts";
import type { Access } from "./authorization/access.ts";
import type { Authorizer } from "./authorization/authorizer.ts";
import { clusterPolicy } from "./authorization/cluster-policy.ts";
import {
  type AuthorizerEntry,
  ConfiguredAuthorizer,
  modeEntries,
} from "./authorization/configured-authorizer.ts";
import { defaultModes } from "./authorization/modes.ts";
import { bootstrap } from "./bootstrap/bootstrap.ts";
import type { ClusterAuthentication } from "./bootstrap/cluster-authentication.ts";
import { serverName } from "./bootstrap/identity-lease.ts";
import { unregistered } from "./bootstrap/registrations.ts";
import { SystemReconcilers } from "./bootstrap/system-reconcilers.ts";
import { type Egress, egressOf } from "./connect/egress.ts";
import type { KubeletOptions } from "./connect/kubelet-connection.ts";
import { ReviewWebhook } from "./connect/webhooks/review-webhook.ts";
import { WebhookClient } from "./connect/webhooks/webhook-client.ts";
import type { ConversionParts } from "./custom/conversion/webhook-conversion.ts";
import { type CustomState, kindsElsewhere } from "./custom/custom-kinds.ts";
import { CustomResources } from "./custom/custom-resources.ts";
import { Documents } from "./documents/documents.ts";
import { healthChecks, StartUp, startUpSteps } from "./documents/health-checks.ts";
import { RegisteredApis } from "./documents/registered-apis.ts";
import { type OpenFairness, openFairness } from "./fairness/open-fairness.ts";
import { measuredAdmission, measuredPlugins } from "./metrics/admission-metrics.ts";
import { readApiServiceMetrics } from "./metrics/api-service-metrics.ts";
import { AuthorizationMetrics } from "./metrics/authorization-metrics.ts";
import { celMetrics } from "./metrics/cel-metrics.ts";
import { ConversionMetrics } from "./metrics/conversion-metrics.ts";
import { ReloadMetrics } from "./metrics/reload-metrics.ts";
import { ServerMetrics } from "./metrics/server-metrics.ts";
import { measuredStore } from "./metrics/store-metrics.ts";
import { Committer } from "./objects/committer.ts";
import { Compactor } from "./objects/compactor.ts";
import type { Environment } from "./objects/environment.ts";
import type { AnyKind } from "./objects/object.ts";
import { ObjectReader } from "./objects/reader.ts";
import { Resources } from "./objects/resources.ts";
import { servedKinds } from "./objects/runtime-config.ts";
import { Draining } from "./request/load/draining.ts";
import { endWatches } from "./request/load/end-watches.ts";
import { defaultMaxInFlight, InFlight, noLimit } from "./request/load/in-flight.ts";
import { TimeLimit } from "./request/load/request-timeout.ts";
import { pipeline } from "./request/pipeline.ts";
import type { ApiRequest, ApiResponse } from "./request/request.ts";
import { RequestState } from "./request/request-state.ts";
import { compose, observed } from "./request/stage.ts";
import { ResourceMetrics, resourceMetricsKinds } from "./resource-metrics/resource-metrics.ts";
import type { ApiServerOptions, ForkOptions } from "./server-options.ts";
import { componentStatuses } from "./subresources/component-statuses.ts";
import type { ComputedKinds } from "./subresources/computed-objects.ts";
import { createNamespace } from "./verbs/create-namespace.ts";
import type { VerbParts } from "./verbs/verb-parts.ts";
import { ownParts } from "./verbs/writer.ts";
import { WatchCache } from "./watch/watch-cache.ts";

const minuteMs = 60_000;

/** The progress of the server's own loops at the time of a fork. */
interface LoopState {
  readonly allocation: ServiceAllocation["state"];
  /** Whether the other loops had nothing to do. */
  readonly isReconciled: boolean;
}

/** The API server without its socket: a function from request to response. */
export class ApiServer {
  readonly #options: ApiServerOptions;
  readonly #parts: VerbParts;
  /** Absent in a server of other APIs, whose authentication and authorizer are given. */
  #authentication: ServerAuthentication | undefined;
  #authorizer: ConfiguredAuthorizer | undefined;
  readonly #registered: RegisteredApis;
  readonly #aggregation: Aggregation;
  readonly #compactor: Compactor;
  readonly #custom: CustomResources;
  readonly #allocation: ServiceAllocation;
  readonly #reconcilers: SystemReconcilers;
  #webhooks: WebhookClient | undefined;
  /** The webhooks that admission plugins have opened. */
  readonly #reviews: ReviewWebhook[] = [];
  #conversions: ConversionParts | undefined;
  readonly #startUp = new StartUp();
  /** Every new connection reads it anew. */
  readonly #egress: Egress;
  readonly #connections: { readonly network: Network; kubelet: KubeletOptions };
  readonly #draining: Draining;
  readonly #fairness: OpenFairness | undefined;
  readonly #timeLimit: TimeLimit;
  /** In a fork before its first change: where its loops resume, and the timer that starts them at the latest. */
  #loopState: LoopState | undefined;
  #loopTimer: Timer | undefined;
  /** The metrics of this server; other parts of the process may add theirs. */
  readonly metrics: ServerMetrics;
  /** Responds to a request; never throws. */
  readonly handle: (request: ApiRequest) => Promise<ApiResponse>;

  private constructor(options: ApiServerOptions, cache: WatchCache, parent?: ApiServer) {
    const { clock, log, requestTimeoutMs = minuteMs, ticks = () => clock.now() } = options;
    const resources = parent
      ? parent.#parts.resources.fork()
      : new Resources(options.kinds as readonly AnyKind[]);
    this.#options = options;
    this.#egress = egressOf(options);
    this.#connections = { network: this.#egress.cluster, kubelet: options.kubelet ?? {} };
    const { priorityAndFairness = false, maxInFlight = defaultMaxInFlight } = options;
    const inFlight = new InFlight(priorityAndFairness ? noLimit : maxInFlight, clock);
    const minor = Number.parseInt(options.version.minor, 10);
    this.metrics = new ServerMetrics(clock.now(), { minor, ...options.metricSelection });
    this.metrics.observe({ ...options, cache, inFlight });
    this.#timeLimit = new TimeLimit(clock, requestTimeoutMs);
    this.#draining = new Draining({
      clock,
      shutdownDelayMs: options.shutdownDelayMs ?? 0,
      sendRetryAfter: options.shutdownSendRetryAfter ?? false,
      longestMs: requestTimeoutMs,
    });
    const reader = new ObjectReader({
      cache,
      resources,
      store: measuredStore(options.store, {
        metrics: this.metrics.all,
        ticks,
        resourceAt: (key) => cache.kindAt(key),
      }),
      metrics: this.metrics.reads,
    });
    const environment = this.#environment(options, ticks);
    this.#allocation = serviceAllocation({
      ...options,
      reader,
      resources,
      environment,
      metrics: this.metrics.all,
    });
    this.#parts = this.#assemble(options, { reader, resources, environment, ticks });
    readApiServiceMetrics(this.metrics.all, reader);
    this.#compactor = new Compactor(this.#parts, log, options.compactionIntervalMs);
    this.#custom = new CustomResources(this.#parts, log, () => this.#conversionParts(ticks));
    this.#reconcilers = new SystemReconcilers(this.#parts, options);
    const registered = new RegisteredApis(reader, parent ? parent.#registered : undefined);
    this.#registered = registered;
    this.#aggregation = new Aggregation({
      ...ownParts(this.#parts),
      registered,
      network: this.#egress.cluster,
      metrics: this.metrics.all,
      options: options.aggregation ?? {},
      frontProxies: options.frontProxies,
    });
    const delegates = options.extension?.versions ?? this.#aggregation;
    this.#fairness = priorityAndFairness
      ? openFairness({ ...options, ticks, reader, resources, metrics: this.metrics.all })
      : undefined;
    const documents = new Documents({
      ...options,
      fairness: this.#fairness?.fairness,
      resources,
      registered,
      aggregation: this.#aggregation,
      delegates,
      address: options.address,
      metrics: this.metrics,
      checks: healthChecks({
        store: options.store,
        timeouts: options.storeTimeouts,
        also: options.healthChecks,
        clock,
        startUp: this.#startUp,
        isExtension: options.extension !== undefined,
        hasProxyClient: options.aggregation?.proxyClient !== undefined,
        hasPriorities: priorityAndFairness,
        isFollowing: () => cache.isFollowing,
        isShuttingDown: () => this.#draining.isShuttingDown,
        unregistered: unregistered(this.#parts),
      }),
    });
    const auditing =
      options.audit &&
      new Auditing(options.audit, {
        ...environment,
        ticks,
        metrics: this.metrics.audit,
        lost: lostEvents(this.metrics.all, log),
      });
    const stages = pipeline({
      ...options,
      verbParts: this.#parts,
      resources,
      authentication: this.#parts.access.authentication,
      authorizer: this.#parts.access.authorizer,
      documents,
      delegates,
      connections: this.#connections,
      draining: this.#draining,
      auditing,
      inFlight,
      fairLimit: this.#fairness,
      timeLimit: this.#timeLimit,
      metrics: this.metrics,
      ticks,
    });
    const { observeStage } = options;
    const run = compose(observeStage ? observed(stages, observeStage) : stages);
    this.handle = (request) => run(new RequestState(request, ticks));
  }

  /** Made when objects are first converted by a webhook: most servers convert none. */
  #conversionParts(ticks: () => number): ConversionParts {
    this.#conversions ??= {
      webhooks: this.#webhookClient(),
      metrics: new ConversionMetrics(this.metrics.all),
      ticks,
      uuid: () => this.#parts.environment.entropy.uuid(),
    };
    return this.#conversions;
  }

  #webhookClient(): WebhookClient {
    const { reader, environment } = this.#parts;
    const egress = this.#egress;
    const { toEndpoints = false } = this.#options.aggregation ?? {};
    this.#webhooks ??= new WebhookClient({ ...environment, egress, reader, toEndpoints });
    return this.#webhooks;
  }

  #environment(options: ApiServerOptions, ticks: () => number): Environment {
    const { clock, entropy, random, log } = options;
    return {
      clock,
      entropy,
      random,
      log,
      eventTtlMs: options.eventTtlMs ?? 60 * minuteMs,
      features: options.features,
      minWatchMs: options.minRequestTimeoutMs ?? 30 * minuteMs,
      validation: {
        flags: { refusesPrivileged: options.allowPrivileged === false },
        verifySignature: options.verifySignature,
      },
      queues: (name) => queueMetrics(name, { metrics: this.metrics.all, ticks }),
      ruleTimes: celMetrics(this.metrics.all, ticks),
    };
  }

  #assemble(
    options: ApiServerOptions,
    {
      reader,
      resources,
      environment,
      ticks,
    }: {
      readonly reader: ObjectReader;
      readonly resources: Resources;
      readonly environment: Environment;
      readonly ticks: () => number;
    },
  ): VerbParts {
    const { cache, store } = reader;
    const { eventTtlMs } = environment;
    const committer = new Committer({
      store,
      cache,
      eventTtlMs,
      storesJson: options.storesJson ?? false,
    });
    const policy = clusterPolicy(cache, resources);
    const usedToken = (isStale: boolean) => this.metrics.access.usedToken(isStale);
    const { extension } = options;
    const egress = this.#egress;
    this.#authentication = extension
      ? undefined
      : serverAuthentication(options, {
          reader,
          committer,
          environment,
          usedToken,
          usedCertificate: (seconds) => this.metrics.access.usedCertificate(seconds),
          usedLegacyToken: (use) => this.metrics.access.usedLegacyToken(use),
          egress,
          ticks,
          verifySignature: options.verifySignature,
          metrics: this.metrics.all,
          serverName: serverIdOf(options),
        });
    const { authorizers = modeEntries(options.authorizationModes ?? defaultModes) } = options;
    this.#authorizer = extension
      ? undefined
      : new ConfiguredAuthorizer(authorizers, {
          policy,
          abacPolicies: options.abacPolicies ?? [],
          environment,
          network: egress.controlPlane,
          ticks,
          metrics: new AuthorizationMetrics(this.metrics.all),
        });
    const access: Access = {
      authentication: extension?.authentication ?? (this.#authentication as Authentication),
      tokenIssuer: options.tokenIssuer,
      authorizer: extension?.authorizer ?? (this.#authorizer as Authorizer),
      policy,
    };
    const measured = { metrics: this.metrics.all, ticks };
    const plugins =
      extension?.plugins ??
      admissionPlugins(options.admission ?? {}, {
        ...measured,
        reader,
        resources,
        access,
        environment,
        webhooks: { post: (call) => this.#webhookClient().post(call) },
        createNamespace: (name) => createNamespace(this.#parts, name),
        openReviews: (reviewer, { retryMs }) => {
          const { direct: network } = egress;
          const opened = new ReviewWebhook({ ...environment, server: reviewer, network, retryMs });
          this.#reviews.push(opened);
          return opened;
        },
      });
    return {
      reader,
      committer,
      admission: measuredAdmission(admissionChain(measuredPlugins(plugins, measured)), measured),
      allocator: this.#allocation.allocator,
      resources,
      access,
      environment,
      computed: extension?.computed ?? this.#computedKinds(reader, environment),
    };
  }

  /** The kinds of a cluster that are computed; without resource metrics it has none of nodes and pods. */
  #computedKinds(reader: ObjectReader, environment: Environment): ComputedKinds {
    const statuses = componentStatuses(reader.store);
    const connections = this.#connections;
    const metrics =
      this.#options.resourceMetrics && new ResourceMetrics({ ...environment, reader, connections });
    return ({ group, kind }) => {
      if (kind === "ComponentStatus") return statuses;
      return metrics && group === "metrics.k8s.io" ? metrics : undefined;
    };
  }

  /** Opens a server on a store; it is ready when this resolves. */
  static async open(options: ApiServerOptions): Promise<ApiServer> {
    const { store, clock, runtimeConfig = {} } = options;
    const kinds = [
      ...servedKinds(options.kinds, runtimeConfig),
      ...(options.resourceMetrics ? resourceMetricsKinds : []),
    ];
    const cache = await WatchCache.open(store, clock, kinds as readonly AnyKind[]);
    const server = new ApiServer({ ...options, kinds }, cache);
    await server.#start(options);
    return server;
  }

  /**
   * A server with the same objects on a fork of this one's store, with a clock and randomness of its own. It is
   * ready at once, and has written nothing.
   */
  fork(options: ForkOptions): ApiServer {
    const kinds = new Map<AnyKind, AnyKind>();
    const kindOf = (kind: AnyKind): AnyKind => kinds.get(kind) ?? kind;
    for (const [name, served] of this.#custom.served) {
      // The server is there by the time that its kinds are used.
      const state: CustomState = {
        isTerminating: () => server.#custom.stateOf(name).isTerminating(),
        convert: (objects, version) => server.#custom.stateOf(name).convert(objects, version),
      };
      for (const [i, kind] of kindsElsewhere(served, state).entries())
        kinds.set(served[i] as AnyKind, kind);
    }
    const cache = this.#parts.reader.cache.fork(options, kindOf);
    const server = new ApiServer({ ...this.#options, ...options }, cache, this);
    server.#resume(this, kindOf);
    return server;
  }

  #resume(from: ApiServer, kindOf: (kind: AnyKind) => AnyKind): void {
    this.#compactor.resume(from.#compactor);
    this.#custom.resume(from.#custom, kindOf);
    const state = from.#loopState ?? {
      allocation: from.#allocation.state,
      isReconciled: from.#reconcilers.isIdle,
    };
    if (state.isReconciled && state.allocation.every(({ isIdle }) => isIdle))
      this.#startLoopsLater(state);
    else this.#startLoops(state);
    this.#aggregation.start();
    for (const step of startUpSteps) this.#startUp.done(step);
  }

  /** Starts the loops at the first change, or after a minute: before that they have nothing to do. */
  #startLoopsLater(state: LoopState): void {
    const { cache } = this.#parts.reader;
    const { clock } = this.#parts.environment;
    this.#loopState = state;
    const begin = (): void => {
      this.#loopTimer?.cancel();
      cache.beforeChange = undefined;
      this.#loopState = undefined;
      this.#startLoops(state);
    };
    cache.beforeChange = begin;
    this.#loopTimer = clock.setTimer(minuteMs, begin);
  }

  #startLoops({ allocation, isReconciled }: LoopState): void {
    this.#allocation.resume(this.#parts, allocation);
    this.#reconcilers.resume(isReconciled);
  }

  async #start(options: ApiServerOptions): Promise<void> {
    const { aggregatesRoles = true, clusterAuthentication, resourceMetrics = false } = options;
    this.#startUp.done("cache");
    this.#startUp.done("admission");
    const podsNeedAccounts = selectPlugins(options.admission ?? {}).includes("ServiceAccount");
    const about = { aggregatesRoles, clusterAuthentication, resourceMetrics, podsNeedAccounts };
    await bootstrap(this.#parts, about);
    this.#startUp.done("bootstrap");
    await this.#allocation.start(this.#parts);
    this.#startUp.done("allocation");
    this.#custom.start();
    this.#startUp.done("custom");
    await this.#reconcilers.start();
    this.#aggregation.start();
    this.#startUp.done("upkeep");
  }

  /** Whether a request is for another server, so that its body is to be passed on as it arrives. */
  isProxied(path: string): boolean {
    return this.#aggregation.isProxied(path);
  }

  /** Calls the servers of other APIs with another client certificate from now on. */
  renewProxyClient(proxyClient: ProxyClient): void {
    this.#aggregation.renew(proxyClient);
  }

  /**
   * Accepts the tokens of these issuers from now on; rejects, and leaves those in use, if one cannot be discovered.
   * What else the configuration says is set when the server starts.
   */
  async replaceJwtIssuers({ jwt }: Pick<CheckedAuthentication, "jwt">): Promise<void> {
    const replaceable = this.#authentication?.jwt;
    if (!replaceable) throw new Error("this server was opened without issuers of tokens");
    await replaceable.replace(jwt);
  }

  /** Asks these authorizers from now on. */
  replaceAuthorizers(entries: readonly AuthorizerEntry[]): void {
    if (!this.#authorizer) throw new Error("the authorizer of this server was given");
    this.#authorizer.replace(entries);
  }

  /** The metrics of a configuration file that is followed. */
  reloadMetrics(subject: "authentication" | "authorization"): ReloadMetrics {
    const { clock, sha256 } = this.#options;
    const server = serverIdOf(this.#options);
    const hash = labelHash(sha256);
    return new ReloadMetrics(this.metrics.all, { subject, hash, server, now: () => clock.now() });
  }

  /** Calls kubelets with other certificates from now on. */
  renewKubeletClient(renewed: Pick<KubeletOptions, "ca" | "clientCert" | "clientKey">): void {
    this.#connections.kubelet = { ...this.#connections.kubelet, ...renewed };
  }

  /** Publishes from now on that clients are authenticated in another way; the listener must do so already. */
  renewClusterAuthentication(next: ClusterAuthentication): void {
    this.#reconcilers.renewAuthentication(next);
  }

  /** Publishes the server's address in the cluster: call it once the server listens. */
  announce(): Promise<void> {
    return this.#reconcilers.announce();
  }

  /** Withdraws the address, so that other servers on the same store stop publishing it: call it before closing. */
  withdraw(): Promise<void> {
    return this.#reconcilers.withdraw();
  }

  /**
   * Begins an orderly stop: the server is not ready at once, and rejects requests after the delay. Where watches have
   * a period of grace, it ends them within that. Then close
   * its socket, which ends watches and waits for running requests, and then this server.
   */
  async shutDown(): Promise<void> {
    await this.#draining.begin();
    const { clock, shutdownWatchMs = 0 } = this.#options;
    await endWatches(this.#parts.reader.cache, { clock, periodMs: shutdownWatchMs });
  }

  /** Ends all watches and stops following the store, which stays open. */
  close(): void {
    this.#draining.end();
    this.#timeLimit.close();
    this.#fairness?.fairness.close();
    this.#loopTimer?.cancel();
    this.#compactor.close();
    this.#custom.close();
    this.#aggregation.close();
    this.#webhooks?.close();
    for (const webhook of this.#reviews) webhook.close();
    this.#authentication?.close();
    this.#authorizer?.close();
    this.#allocation.close();
    this.#reconcilers.close();
    this.#parts.access.policy.close();
    this.#parts.reader.cache.close();
  }
}

/** The name of the server among those of the cluster; empty without the name of its host. */
const serverIdOf = ({ hostname, sha256 }: ApiServerOptions): string =>
  hostname === undefined ? "" : serverName(hostname, sha256);
