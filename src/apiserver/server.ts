import {
  internalError,
  methodNotAllowed,
  pathNotFound,
  StatusError,
} from "../api/meta/v1/status-error.ts";
import type { Clock } from "../base/clock.ts";
import type { Entropy } from "../base/entropy.ts";
import type { Random } from "../base/random.ts";
import type { Kind } from "../schema/kind.ts";
import type { Store } from "../store/store.ts";
import { admissionChain } from "./admission/admission.ts";
import { defaultPlugins } from "./admission/plugins.ts";
import { authenticate } from "./authentication/authenticate.ts";
import {
  type AuthenticationOptions,
  serverAuthentication,
} from "./authentication/server-authentication.ts";
import { type Attributes, requestAttributes } from "./authorization/attributes.ts";
import { forbiddenTo } from "./authorization/authorize.ts";
import { type AuthorizationMode, authorizerFor, defaultModes } from "./authorization/modes.ts";
import { clusterPolicy } from "./authorization/policy.ts";
import { bootstrap } from "./bootstrap.ts";
import { WatchCache } from "./cache.ts";
import { Compactor } from "./compactor.ts";
import { CustomResources } from "./custom/custom-resources.ts";
import { Documents, type VersionInfo } from "./documents.ts";
import { healthChecks, StartUp } from "./health-checks.ts";
import type { User } from "./identity.ts";
import { type Impersonate, impersonation } from "./impersonation.ts";
import { wantedUser } from "./impersonation-headers.ts";
import { Draining } from "./load/draining.ts";
import {
  defaultMaxInFlight,
  InFlight,
  isProbe,
  type MaxInFlight,
  type RequestSort,
  sortOf,
  tooManyRequests,
} from "./load/in-flight.ts";
import { TimeLimit } from "./load/request-timeout.ts";
import { type Route, routeOf } from "./load/route.ts";
import { measuredAdmission, measuredPlugins } from "./metrics/admission-metrics.ts";
import { countedResponse } from "./metrics/counted-response.ts";
import { ServerMetrics } from "./metrics/server-metrics.ts";
import { measuredStore } from "./metrics/store-metrics.ts";
import { formOfErrors, type Negotiated, negotiate, negotiateFor } from "./negotiation.ts";
import type { AnyKind } from "./object.ts";
import { prettyResponse, wantsPretty } from "./pretty.ts";
import type { Registry } from "./registry.ts";
import type { ApiRequest, ApiResponse } from "./request.ts";
import { handleResource, kindAt, verbOf } from "./resource-handler.ts";
import type { ResourceRequest } from "./resource-request.ts";
import { Resources } from "./resources.ts";
import { errorResponse } from "./respond.ts";
import { type RuntimeConfig, servedKinds } from "./runtime-config.ts";
import { serviceAllocation } from "./service-allocation.ts";

export interface ApiServerOptions extends AuthenticationOptions {
  readonly store: Store;
  /** All that are declared. */
  readonly kinds: readonly Kind[];
  /** Which of them are served, beside the stable ones. */
  readonly runtimeConfig?: RuntimeConfig;
  readonly clock: Clock;
  /** Milliseconds of a clock that only goes forward, to time what is short; `clock` if not given. */
  readonly ticks?: () => number;
  readonly entropy: Entropy;
  readonly random: Random;
  readonly version: VersionInfo;
  /** Where clients find this server, as `/api` tells them. */
  readonly address?: () => string;
  /** The range that cluster IPs are taken from. */
  readonly serviceRange?: string;
  /** How requests are authorised, in this order; `Node`, `RBAC` if not given. */
  readonly authorizationModes?: readonly AuthorizationMode[];
  /** How many bytes the store takes on disk, for metrics. */
  readonly storeBytes?: () => number;
  /** How many requests may be served at once: 400 that read and 200 that write if not given. */
  readonly maxInFlight?: MaxInFlight;
  /** How long a request may take that is no watch or the like; a minute if not given. */
  readonly requestTimeoutMs?: number;
  /** How long watches last at least whose clients do not say; half an hour if not given. */
  readonly minRequestTimeoutMs?: number;
  /** How long requests are still served after shutdown began and `/readyz` says so; 0 if not given. */
  readonly shutdownDelayMs?: number;
  /** Whether requests that come during shutdown are told to come again (429), until none is running. */
  readonly shutdownSendRetryAfter?: boolean;
  /** Whether roles that are made of others are filled in at start, until a controller does; true if not given. */
  readonly aggregatesRoles?: boolean;
}

/** The API server without its socket: a function from request to response. */
export class ApiServer {
  readonly #options: ApiServerOptions;
  readonly #resources: Resources;
  readonly #registry: Registry;
  readonly #documents: Documents;
  readonly #compactor: Compactor;
  readonly #custom: CustomResources;
  readonly #impersonate: Impersonate;
  readonly #startUp = new StartUp();
  readonly #draining: Draining;
  readonly #inFlight: InFlight;
  readonly #timeLimit: TimeLimit;
  readonly #ticks: () => number;
  /** What this server counts; what is counted beside it may be added. */
  readonly metrics: ServerMetrics;

  private constructor(options: ApiServerOptions, cache: WatchCache) {
    this.#options = options;
    const { clock, entropy, random, requestTimeoutMs = 60_000 } = options;
    const { ticks = () => clock.now() } = options;
    this.#ticks = ticks;
    this.metrics = new ServerMetrics(clock.now());
    const measured = { metrics: this.metrics.all, ticks };
    const store = measuredStore(options.store, {
      ...measured,
      resourceAt: (key) => cache.kindAt(key),
    });
    this.#timeLimit = new TimeLimit(clock, requestTimeoutMs);
    this.#inFlight = new InFlight(options.maxInFlight ?? defaultMaxInFlight, clock);
    this.metrics.observe({ ...options, cache, inFlight: this.#inFlight });
    this.#draining = new Draining({
      clock,
      shutdownDelayMs: options.shutdownDelayMs ?? 0,
      sendRetryAfter: options.shutdownSendRetryAfter ?? false,
      longestMs: requestTimeoutMs,
    });
    this.#resources = new Resources(options.kinds as readonly AnyKind[]);
    const policy = clusterPolicy(cache, this.#resources);
    const authorizer = authorizerFor(options.authorizationModes ?? defaultModes, policy);
    const registry: Registry = {
      store,
      cache,
      clock,
      entropy,
      random,
      admission: measuredAdmission(
        admissionChain(
          measuredPlugins(
            defaultPlugins(() => registry, this.#resources),
            measured,
          ),
        ),
        measured,
      ),
      allocate: serviceAllocation({ ...options, cache, resources: this.#resources }),
      resources: this.#resources,
      authorizer,
      policy,
      authentication: serverAuthentication(options, () => registry),
      tokenIssuer: options.tokenIssuer,
      reads: this.metrics.reads,
      minWatchMs: options.minRequestTimeoutMs ?? 1_800_000,
    };
    this.#registry = registry;
    this.#impersonate = impersonation(authorizer);
    this.#compactor = new Compactor(registry, options.log);
    this.#custom = new CustomResources(registry, options.log);
    this.#documents = new Documents({
      ...options,
      resources: this.#resources,
      address: options.address,
      metrics: this.metrics,
      checks: healthChecks({
        store: options.store,
        clock,
        startUp: this.#startUp,
        isFollowing: () => cache.isFollowing,
        isShuttingDown: () => this.#draining.isShuttingDown,
      }),
    });
  }

  /** Opens a server on a store; it is ready when this resolves. */
  static async open(options: ApiServerOptions): Promise<ApiServer> {
    const { store, clock, runtimeConfig = {} } = options;
    const kinds = servedKinds(options.kinds, runtimeConfig);
    const cache = await WatchCache.open(store, clock, kinds as readonly AnyKind[]);
    const server = new ApiServer({ ...options, kinds }, cache);
    server.#startUp.done("cache");
    server.#startUp.done("admission");
    await bootstrap(server.#registry, { aggregatesRoles: options.aggregatesRoles ?? true });
    server.#startUp.done("bootstrap");
    server.#custom.start();
    server.#startUp.done("custom");
    return server;
  }

  /** Answers a request; never throws. */
  readonly handle = async (request: ApiRequest): Promise<ApiResponse> => {
    const begun = this.#ticks();
    const elapsed = (): number => (this.#ticks() - begun) / 1000;
    const route = routeOf(request);
    const counting = { metrics: this.metrics, route, elapsed };
    const answered = countedResponse(await this.#timely(route), counting);
    const response = wantsPretty(request) ? prettyResponse(answered) : answered;
    const auditId = request.headers["audit-id"] || this.#registry.entropy.uuid();
    return { ...response, headers: { ...response.headers, "audit-id": auditId } };
  };

  /** Answers in the time that the request has, unless the server is shutting down. */
  async #timely(route: Route): Promise<ApiResponse> {
    const { request, query } = route;
    const refusal = this.#draining.refusal(request);
    if (refusal) return refusal;
    if (route.isLongRunning) return this.#answer(route);
    this.#draining.enter();
    try {
      const onTimeout = (): void => {
        request.abort?.();
        this.metrics.requests.terminated(route, route.kind, 504);
      };
      return await this.#timeLimit.keep(() => this.#answer(route), query, onTimeout);
    } catch (error) {
      return errorResponse(this.#statusError(request, error), formOfErrors(request));
    } finally {
      this.#draining.leave();
    }
  }

  async #answer(route: Route): Promise<ApiResponse> {
    const { request, target, query } = route;
    const warnings: string[] = [];
    let accept: Negotiated | undefined;
    let counted: RequestSort | undefined;
    let user: User | undefined;
    const begun = this.#ticks();
    try {
      user = await authenticate(request, this.#registry.authentication, warnings);
      this.metrics.access.authenticated(user.name, begun, this.#ticks());
      if (!target) throw pathNotFound();
      if (target.type === "resource") accept = formOfErrors(request);
      const asked = requestAttributes(request, { user, target, query });
      const wanted = wantedUser(request);
      const attributes = wanted
        ? { ...asked, user: await this.#impersonate(wanted, asked) }
        : asked;
      if (!route.isLongRunning && !isProbe(attributes)) {
        const sort = sortOf(attributes);
        if (!this.#inFlight.enter(sort, attributes.user.groups)) return this.#tooMany(route);
        counted = sort;
      }
      await this.#authorize(attributes);
      if (target.type === "other") return await this.#documents.serve(request);
      accept = negotiateFor(request, target.resource);
      const path = target.resource;
      return await this.#resource(route, { attributes, path, query, accept, warnings });
    } catch (error) {
      if (!user) this.metrics.access.authenticated(undefined, begun, this.#ticks());
      return errorResponse(this.#statusError(request, error), accept, warnings);
    } finally {
      if (counted) this.#inFlight.leave(counted);
    }
  }

  async #authorize(attributes: Attributes): Promise<void> {
    const begun = this.#ticks();
    const { verdict, reason } = await this.#registry.authorizer.authorize(attributes);
    this.metrics.access.authorized(verdict, begun, this.#ticks());
    if (verdict !== "allow") throw forbiddenTo(attributes, reason);
  }

  #tooMany(route: Route): ApiResponse {
    const { target } = route;
    const { group, version, resource } = target?.type === "resource" ? target.resource : noResource;
    this.metrics.requests.terminated(route, this.#resources.find(group, version, resource), 429);
    return tooManyRequests();
  }

  /**
   * Begins an orderly stop: at once the server is not ready, and after the delay it refuses requests.
   * Its socket can be closed then, which ends watches and waits for what is running; then this server.
   */
  shutDown(): Promise<void> {
    return this.#draining.begin();
  }

  /** Ends all watches and stops following the store, which stays open. */
  close(): void {
    this.#draining.end();
    this.#timeLimit.close();
    this.#compactor.close();
    this.#custom.close();
    this.#registry.policy.close();
    this.#registry.cache.close();
  }

  async #resource(
    route: Route,
    {
      attributes,
      path,
      query,
      ...rest
    }: Omit<ResourceRequest, "request" | "kind" | "registry" | "resources">,
  ): Promise<ApiResponse> {
    const { request } = route;
    const kind = kindAt(this.#resources, path);
    route.kind = kind;
    const served = kind.struct
      ? rest.accept
      : negotiate(request.headers.accept, { hasProtobuf: false });
    const { method } = request;
    // A HEAD of what has no router before it is a GET, whose body nobody is sent.
    const isRead = method === "HEAD" && !kind.struct;
    if ((method === "HEAD" && !isRead) || method === "OPTIONS") throw methodNotAllowed();
    return handleResource(
      {
        ...rest,
        request,
        attributes,
        path,
        kind,
        query,
        accept: served,
        registry: this.#registry,
        resources: this.#resources,
      },
      verbOf(isRead ? "GET" : method, path, query),
    );
  }

  #statusError({ method, path }: ApiRequest, error: unknown): StatusError {
    if (error instanceof StatusError) return error;
    this.#options.log.error("request failed", error, { method, path });
    return internalError(error);
  }
}

const noResource = { group: "", version: "", resource: "" };
