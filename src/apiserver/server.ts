import {
  internalError,
  methodNotAllowed,
  pathNotFound,
  StatusError,
} from "../api/meta/v1/status-error.ts";
import type { Clock } from "../base/clock.ts";
import type { Entropy } from "../base/entropy.ts";
import { type Network, noNetwork } from "../base/network.ts";
import type { Random } from "../base/random.ts";
import type { Kind } from "../schema/kind.ts";
import type { Store } from "../store/store.ts";
import { admissionChain } from "./admission/admission.ts";
import { type AdmissionOptions, admissionPlugins } from "./admission/plugins.ts";
import { type ServiceAllocation, serviceAllocation } from "./allocation/service-allocation.ts";
import type { ServiceNetworkOptions } from "./allocation/service-network.ts";
import { authenticate } from "./authentication/authenticate.ts";
import {
  type AuthenticationOptions,
  serverAuthentication,
} from "./authentication/server-authentication.ts";
import type { AbacPolicy } from "./authorization/abac.ts";
import { type Attributes, requestAttributes } from "./authorization/attributes.ts";
import { authorize } from "./authorization/authorize.ts";
import { type AuthorizationMode, authorizerFor, defaultModes } from "./authorization/modes.ts";
import { clusterPolicy } from "./authorization/policy.ts";
import { bootstrap } from "./bootstrap.ts";
import { WatchCache } from "./cache.ts";
import { Compactor } from "./compactor.ts";
import { connect, isConnection } from "./connect/connect.ts";
import type { Connections, KubeletOptions } from "./connect/kubelet.ts";
import { withCors } from "./cors.ts";
import { CustomResources } from "./custom/custom-resources.ts";
import { Documents, type VersionInfo } from "./documents.ts";
import { type Impersonate, impersonation } from "./impersonation.ts";
import { wantedUser } from "./impersonation-headers.ts";
import { acceptedForm, anyForm, formOfErrors, type Negotiated } from "./negotiation.ts";
import type { AnyKind } from "./object.ts";
import { prettyResponse, wantsPretty } from "./pretty.ts";
import { Query } from "./query.ts";
import { RegisteredApis } from "./registered-apis.ts";
import type { Registry } from "./registry.ts";
import type { ApiRequest, ApiResponse } from "./request.ts";
import { parsePath, type RequestTarget } from "./request-info.ts";
import { checkVerb, handleResource, hasTable, kindAt, verbOf } from "./resource-handler.ts";
import type { ResourceRequest } from "./resource-request.ts";
import { Resources } from "./resources.ts";
import { errorResponse, textResponse } from "./respond.ts";
import { type RuntimeConfig, servedKinds } from "./runtime-config.ts";
import { withTransportSecurity } from "./transport-security.ts";
import { Upkeep, type UpkeepOptions } from "./upkeep.ts";

export interface ApiServerOptions
  extends AuthenticationOptions,
    ServiceNetworkOptions,
    UpkeepOptions {
  readonly store: Store;
  /** All that are declared. */
  readonly kinds: readonly Kind[];
  /** Which of them are served, beside the stable ones. */
  readonly runtimeConfig?: RuntimeConfig;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly random: Random;
  readonly version: VersionInfo;
  /** Where clients find this server, as `/api` tells them. */
  readonly address?: () => string;
  /** Milliseconds after which events are forgotten; an hour if not given, 0: never. */
  readonly eventTtlMs?: number;
  /** How requests are authorised, in this order; `Node`, `RBAC` if not given. */
  readonly authorizationModes?: readonly AuthorizationMode[];
  /** Which admission plugins have a say, and what they are told; upstream's defaults if not given. */
  readonly admission?: AdmissionOptions;
  /** What the mode `ABAC` allows. */
  readonly abacPolicies?: readonly AbacPolicy[];
  /** Whether roles that are made of others are filled in at start, until a controller does; true if not given. */
  readonly aggregatesRoles?: boolean;
  /** How others are reached; nobody is if not given. */
  readonly network?: Network;
  /** How kubelets are reached. */
  readonly kubelet?: KubeletOptions;
  /** How many requests are served at a time, but for those made to last; 0 for any number. */
  readonly maxInFlight?: { readonly reading: number; readonly writing: number };
  /** How long a request may take that is not made to last. */
  readonly requestTimeoutMs?: number;
  /** How long a watch lasts at least, where the client does not say. */
  readonly minRequestTimeoutMs?: number;
  /** Regular expressions, in Go's syntax, of the web origins whose pages may call this server. */
  readonly corsAllowedOrigins?: readonly string[];
  /** What the header Strict-Transport-Security says; without it there is none. */
  readonly strictTransportSecurity?: readonly string[];
  /** How long to go on serving, but for readiness, once asked to stop. */
  readonly shutdownDelayMs?: number;
  /** Whether requests that come while the server ends are told to come again. */
  readonly shutdownSendRetryAfter?: boolean;
  /** How often what is not current any more is forgotten; 0 for never, five minutes if not given. */
  readonly compactionIntervalMs?: number;
}

const hourMs = 60 * 60 * 1000;

/** The API server without its socket: a function from request to response. */
export class ApiServer {
  readonly #options: ApiServerOptions;
  readonly #resources: Resources;
  readonly #registry: Registry;
  readonly #documents: Documents;
  readonly #registered: RegisteredApis;
  readonly #compactor: Compactor;
  readonly #custom: CustomResources;
  readonly #allocation: ServiceAllocation;
  readonly #upkeep: Upkeep;
  readonly #impersonate: Impersonate;
  readonly #connections: Connections;
  /** Answers a request; never throws. */
  readonly handle: (request: ApiRequest) => Promise<ApiResponse>;
  #closing = false;

  private constructor(options: ApiServerOptions, cache: WatchCache) {
    this.#options = options;
    const { store, clock, entropy, random } = options;
    this.#resources = new Resources(options.kinds as readonly AnyKind[]);
    const policy = clusterPolicy(cache, this.#resources);
    const modes = options.authorizationModes ?? defaultModes;
    const authorizer = authorizerFor(modes, policy, options.abacPolicies);
    this.#allocation = serviceAllocation({
      ...options,
      cache,
      resources: this.#resources,
      registry: () => registry,
    });
    const registry: Registry = {
      store,
      cache,
      clock,
      entropy,
      random,
      admission: admissionChain(
        admissionPlugins(options.admission ?? {}, {
          cluster: () => registry,
          resources: this.#resources,
          clock,
        }),
      ),
      allocator: this.#allocation.allocator,
      resources: this.#resources,
      authorizer,
      policy,
      authentication: serverAuthentication(options, () => registry),
      tokenIssuer: options.tokenIssuer,
      eventTtlMs: options.eventTtlMs ?? hourMs,
    };
    this.#registry = registry;
    this.#impersonate = impersonation(authorizer);
    this.#connections = { network: options.network ?? noNetwork, kubelet: options.kubelet ?? {} };
    const handle = (request: ApiRequest) => this.#handle(request);
    this.handle = withTransportSecurity(
      withCors(handle, options.corsAllowedOrigins ?? []),
      options.strictTransportSecurity ?? [],
    );
    this.#compactor = new Compactor(registry, options.log, options.compactionIntervalMs);
    this.#custom = new CustomResources(registry, options.log);
    this.#upkeep = new Upkeep(registry, options);
    this.#registered = new RegisteredApis(registry);
    this.#documents = new Documents({
      ...options,
      resources: this.#resources,
      registered: this.#registered,
      address: options.address,
      checks: [
        { name: "ping", check: () => undefined },
        { name: "log", check: () => undefined },
        { name: "etcd", check: () => faultOf(store) },
        { name: "shutdown", check: () => (this.#closing ? "process is shutting down" : undefined) },
      ],
    });
  }

  /** Opens a server on a store; it is ready when this resolves. */
  static async open(options: ApiServerOptions): Promise<ApiServer> {
    const { store, clock, runtimeConfig = {} } = options;
    const kinds = servedKinds(options.kinds, runtimeConfig);
    const cache = await WatchCache.open(store, clock, kinds as readonly AnyKind[]);
    const server = new ApiServer({ ...options, kinds }, cache);
    const { aggregatesRoles = true, clusterAuthentication } = options;
    await bootstrap(server.#registry, { aggregatesRoles, clusterAuthentication });
    await server.#allocation.start();
    server.#custom.start();
    await server.#upkeep.start();
    return server;
  }

  /** Tells the cluster where this server is reached: to be called once it can be. */
  announce(): Promise<void> {
    return this.#upkeep.announce();
  }

  /** Tells other servers on the same store that this one goes: to be called before it is closed. */
  withdraw(): Promise<void> {
    return this.#upkeep.withdraw();
  }

  async #handle(request: ApiRequest): Promise<ApiResponse> {
    const response = await this.#answer(request);
    return wantsPretty(request) ? prettyResponse(response) : response;
  }

  async #answer(request: ApiRequest): Promise<ApiResponse> {
    const warnings: string[] = [];
    let accept: Negotiated | undefined;
    try {
      const user = await authenticate(request, this.#registry.authentication, warnings);
      const target = parsePath(request.path);
      if (!target) throw pathNotFound();
      const query = new Query(request.query);
      const asked = requestAttributes(request, { user, target, query });
      if (target.type === "resource") accept = formOfErrors(request);
      const attributes = await this.#allowed(request, asked);
      if (this.#isRemote(target)) return textResponse(503, "service unavailable\n");
      if (target.type === "other") return await this.#documents.serve(request);
      const path = target.resource;
      return await this.#resource(request, { attributes, path, query, warnings });
    } catch (error) {
      return errorResponse(this.#statusError(request, error), accept, warnings);
    }
  }

  /** Whether another server is to answer: nobody is asked yet. */
  #isRemote(target: RequestTarget): boolean {
    if (target.type === "resource")
      return this.#registered.isRemote(target.resource.group, target.resource.version);
    const [, root, group = "", version = ""] = target.path.split("/");
    return root === "apis" && version !== "" && this.#registered.isRemote(group, version);
  }

  /** What a request is allowed as, maybe as another user; throws where it is not. */
  async #allowed(request: ApiRequest, asked: Attributes): Promise<Attributes> {
    const wanted = wantedUser(request);
    const attributes = wanted ? { ...asked, user: await this.#impersonate(wanted, asked) } : asked;
    await authorize(this.#registry.authorizer, attributes);
    return attributes;
  }

  /** Ends all watches and stops following the store, which stays open. */
  close(): void {
    this.#closing = true;
    this.#compactor.close();
    this.#custom.close();
    this.#allocation.close();
    this.#upkeep.close();
    this.#registry.policy.close();
    this.#registry.cache.close();
  }

  async #resource(
    request: ApiRequest,
    asked: Omit<ResourceRequest, "request" | "kind" | "accept" | "registry" | "resources">,
  ): Promise<ApiResponse> {
    const { path, query } = asked;
    const kind = kindAt(this.#resources, path);
    const { method } = request;
    // A HEAD of what has no router before it is a GET, whose body nobody is sent.
    const isRead = method === "HEAD" && !kind.struct;
    const parts = { registry: this.#registry, resources: this.#resources };
    if (kind.struct && isConnection(path)) {
      const accept = formOfErrors(request) ?? anyForm;
      return connect({ ...asked, ...parts, request, kind, accept }, this.#connections);
    }
    if ((method === "HEAD" && !isRead) || method === "OPTIONS") throw methodNotAllowed();
    const verb = verbOf(isRead ? "GET" : method, path, query);
    checkVerb(kind, path, verb);
    const accept = acceptedForm(request, kind, {
      isList: path.name === "" && method === "GET",
      hasTable: hasTable(kind, path),
    });
    return handleResource({ ...asked, ...parts, request, kind, accept }, verb);
  }

  #statusError({ method, path }: ApiRequest, error: unknown): StatusError {
    if (error instanceof StatusError) return error;
    this.#options.log.error("request failed", error, { method, path });
    return internalError(error);
  }
}

async function faultOf(store: Store): Promise<string | undefined> {
  try {
    await store.currentRevision();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
