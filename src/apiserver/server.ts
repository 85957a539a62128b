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
import { authorize } from "./authorization/authorize.ts";
import { type AuthorizationMode, authorizerFor, defaultModes } from "./authorization/modes.ts";
import { clusterPolicy } from "./authorization/policy.ts";
import { bootstrap } from "./bootstrap.ts";
import { WatchCache } from "./cache.ts";
import { Compactor } from "./compactor.ts";
import { CustomResources } from "./custom/custom-resources.ts";
import { Documents, type VersionInfo } from "./documents.ts";
import { type Impersonate, impersonation } from "./impersonation.ts";
import { wantedUser } from "./impersonation-headers.ts";
import { formOfErrors, type Negotiated, negotiate, negotiateFor } from "./negotiation.ts";
import type { AnyKind } from "./object.ts";
import { prettyResponse, wantsPretty } from "./pretty.ts";
import { Query } from "./query.ts";
import type { Registry } from "./registry.ts";
import type { ApiRequest, ApiResponse } from "./request.ts";
import { parsePath } from "./request-info.ts";
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
  readonly entropy: Entropy;
  readonly random: Random;
  readonly version: VersionInfo;
  /** Where clients find this server, as `/api` tells them. */
  readonly address?: () => string;
  /** The range that cluster IPs are taken from. */
  readonly serviceRange?: string;
  /** How requests are authorised, in this order; `Node`, `RBAC` if not given. */
  readonly authorizationModes?: readonly AuthorizationMode[];
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
  #closing = false;

  private constructor(options: ApiServerOptions, cache: WatchCache) {
    this.#options = options;
    const { store, clock, entropy, random } = options;
    this.#resources = new Resources(options.kinds as readonly AnyKind[]);
    const policy = clusterPolicy(cache, this.#resources);
    const authorizer = authorizerFor(options.authorizationModes ?? defaultModes, policy);
    const registry: Registry = {
      store,
      cache,
      clock,
      entropy,
      random,
      admission: admissionChain(defaultPlugins(() => registry, this.#resources)),
      allocate: serviceAllocation({ ...options, cache, resources: this.#resources }),
      resources: this.#resources,
      authorizer,
      policy,
      authentication: serverAuthentication(options, () => registry),
      tokenIssuer: options.tokenIssuer,
    };
    this.#registry = registry;
    this.#impersonate = impersonation(authorizer);
    this.#compactor = new Compactor(registry, options.log);
    this.#custom = new CustomResources(registry, options.log);
    this.#documents = new Documents({
      ...options,
      resources: this.#resources,
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
    await bootstrap(server.#registry, { aggregatesRoles: options.aggregatesRoles ?? true });
    server.#custom.start();
    return server;
  }

  /** Answers a request; never throws. */
  readonly handle = async (request: ApiRequest): Promise<ApiResponse> => {
    const response = await this.#answer(request);
    return wantsPretty(request) ? prettyResponse(response) : response;
  };

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
      if (target.type === "other") return await this.#documents.serve(request);
      accept = negotiateFor(request, target.resource);
      const path = target.resource;
      return await this.#resource(request, { attributes, path, query, accept, warnings });
    } catch (error) {
      return errorResponse(this.#statusError(request, error), accept, warnings);
    }
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
    this.#registry.policy.close();
    this.#registry.cache.close();
  }

  async #resource(
    request: ApiRequest,
    known: Pick<ResourceRequest, "attributes" | "path" | "query" | "accept" | "warnings">,
  ): Promise<ApiResponse> {
    const { attributes, path, query, accept, warnings } = known;
    const kind = kindAt(this.#resources, path);
    const { method } = request;
    // A HEAD of what has no router before it is a GET, whose body nobody is sent.
    const isRead = method === "HEAD" && !kind.struct;
    if ((method === "HEAD" && !isRead) || method === "OPTIONS") throw methodNotAllowed();
    const resourceRequest = {
      request,
      attributes,
      path,
      kind,
      query,
      accept: kind.struct ? accept : negotiate(request.headers.accept, { hasProtobuf: false }),
      warnings,
      registry: this.#registry,
      resources: this.#resources,
    };
    return handleResource(resourceRequest, verbOf(isRead ? "GET" : method, path, query));
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
