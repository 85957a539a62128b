import type { ServiceBody, ServiceDraft } from "../api/core/v1/service-spec.ts";
import {
  internalError,
  methodNotAllowed,
  pathNotFound,
  StatusError,
} from "../api/meta/v1/status-error.ts";
import type { Clock } from "../base/clock.ts";
import type { Entropy } from "../base/entropy.ts";
import type { Log } from "../base/log.ts";
import type { Random } from "../base/random.ts";
import { encodeBase64 } from "../schema/base64.ts";
import type { Kind } from "../schema/kind.ts";
import type { Store } from "../store/store.ts";
import { admissionChain } from "./admission/admission.ts";
import { defaultPlugins } from "./admission/plugins.ts";
import { type Authentication, authenticate } from "./authentication/authenticate.ts";
import { bootstrapUser } from "./authentication/bootstrap-tokens.ts";
import { hasMetadata, openIdPaths, serveOpenId } from "./authentication/openid-metadata.ts";
import { serviceAccountTokens, type TokenIssuer } from "./authentication/service-account-tokens.ts";
import { anyOf, forServer } from "./authentication/token-authenticator.ts";
import { type Attributes, requestAttributes } from "./authorization/attributes.ts";
import { authorize } from "./authorization/authorize.ts";
import { type AuthorizationMode, authorizerFor, defaultModes } from "./authorization/modes.ts";
import { clusterPolicy } from "./authorization/policy.ts";
import { bootstrap } from "./bootstrap.ts";
import { WatchCache } from "./cache.ts";
import { Compactor } from "./compactor.ts";
import { CustomResources } from "./custom/custom-resources.ts";
import {
  aggregated,
  coreVersions,
  group,
  groupList,
  type Hash,
  resourceList,
} from "./discovery.ts";
import { type HealthCheck, health } from "./health.ts";
import type { User } from "./identity.ts";
import { type Impersonate, impersonation } from "./impersonation.ts";
import { wantedUser } from "./impersonation-headers.ts";
import { type Negotiated, negotiate, notAcceptable, parseAccept } from "./negotiation.ts";
import type { AnyKind } from "./object.ts";
import { OpenApi } from "./openapi.ts";
import { serveOpenApi } from "./openapi-handler.ts";
import { prettyResponse, wantsPretty } from "./pretty.ts";
import { Query } from "./query.ts";
import type { Allocate, Registry } from "./registry.ts";
import type { ApiRequest, ApiResponse } from "./request.ts";
import { parsePath, type ResourcePath } from "./request-info.ts";
import { handleResource, kindAt, verbOf } from "./resource-handler.ts";
import type { ResourceRequest } from "./resource-request.ts";
import { Resources } from "./resources.ts";
import { answer, errorResponse, textResponse } from "./respond.ts";
import { type RuntimeConfig, servedKinds } from "./runtime-config.ts";
import { ServiceAllocator } from "./service-allocator.ts";
import { storedKind } from "./stored.ts";

export interface ApiServerOptions {
  readonly store: Store;
  /** All that are declared. */
  readonly kinds: readonly Kind[];
  /** Which of them are served, beside the stable ones. */
  readonly runtimeConfig?: RuntimeConfig;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly random: Random;
  readonly log: Log;
  /** SHA-256, for the hashes of stored versions and documents. */
  readonly sha256: Hash;
  readonly version: VersionInfo;
  /** Where clients find this server, as `/api` tells them. */
  readonly address?: () => string;
  /** The range that cluster IPs are taken from. */
  readonly serviceRange?: string;
  /** How requests are authorised, in this order; `Node`, `RBAC` if not given. */
  readonly authorizationModes?: readonly AuthorizationMode[];
  /** Whether roles that are made of others are filled in at start, until a controller does; true if not given. */
  readonly aggregatesRoles?: boolean;
  /** Issues the tokens of service accounts, and knows them again. */
  readonly tokenIssuer: TokenIssuer;
  /** Users by tokens that never change. */
  readonly staticTokens?: ReadonlyMap<string, User>;
  /** Whether secrets in kube-system may hold tokens by which nodes join; false if not given. */
  readonly bootstrapTokens?: boolean;
}

/** What `/version` says. */
export interface VersionInfo {
  readonly major: string;
  readonly minor: string;
  readonly gitVersion: string;
  readonly [name: string]: string;
}

/** The API server without its socket: a function from request to response. */
export class ApiServer {
  readonly #options: ApiServerOptions;
  readonly #resources: Resources;
  readonly #registry: Registry;
  readonly #openApi: OpenApi;
  readonly #checks: readonly HealthCheck[];
  readonly #storageHashes = new Map<AnyKind, string>();
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
      allocate: allocation(options, cache, this.#resources),
      resources: this.#resources,
      authorizer,
      policy,
      authentication: authentication(options, () => registry),
      tokenIssuer: options.tokenIssuer,
    };
    this.#registry = registry;
    this.#impersonate = impersonation(authorizer);
    this.#compactor = new Compactor(registry, options.log);
    this.#custom = new CustomResources(registry, options.log);
    this.#openApi = new OpenApi({
      resources: this.#resources,
      hash: (text) => hex(options.sha256(text)),
      version: options.version.gitVersion,
    });
    this.#checks = [
      { name: "ping", check: () => undefined },
      { name: "log", check: () => undefined },
      { name: "etcd", check: () => this.#checkStore() },
      { name: "shutdown", check: () => (this.#closing ? "process is shutting down" : undefined) },
    ];
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
      if (target.type === "other") return await this.#other(request);
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
    {
      attributes,
      path,
      query,
      ...rest
    }: Omit<ResourceRequest, "request" | "kind" | "registry" | "resources">,
  ): Promise<ApiResponse> {
    const kind = kindAt(this.#resources, path);
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

  async #other(request: ApiRequest): Promise<ApiResponse> {
    const path = request.path === "/" ? "/" : request.path.replace(/\/+$/, "");
    const openApi = serveOpenApi(request, this.#openApi);
    if (openApi) return openApi;
    if (/^\/(healthz|livez|readyz)(\/|$)/.test(path))
      return health(path, new Query(request.query), this.#checksOf(path));
    const openId = serveOpenId(request, this.#options.tokenIssuer, this.#address(request));
    if (openId) return openId;
    if (path === "/version") return this.#version(request);
    if (path === "/") return prettyResponse(this.#document(request, { paths: this.#paths() }));
    return this.#discovery(request, path);
  }

  #checksOf(path: string): readonly HealthCheck[] {
    return path.startsWith("/readyz")
      ? this.#checks
      : this.#checks.filter(({ name }) => name !== "shutdown");
  }

  #version(request: ApiRequest): ApiResponse {
    if (request.method !== "GET") throw methodNotAllowed();
    const { version } = this.#options;
    return prettyResponse(this.#document(request, version));
  }

  #discovery(request: ApiRequest, path: string): ApiResponse {
    const [root = "", name = "", version = ""] = path.split("/").filter((part) => part !== "");
    if (root !== "api" && root !== "apis") return textResponse(404, "404 page not found\n");
    if (name === "") return this.#roots(request, root);
    if (root === "apis" && version === "") {
      const found = group(this.#resources, name);
      return found ? this.#document(request, found) : textResponse(404, "404 page not found\n");
    }
    const at = root === "api" ? { group: "", version: name } : { group: name, version };
    const found = resourceList(this.#resources, at, (kind) => this.#storageHash(kind));
    if (!found) throw pathNotFound();
    return this.#document(request, found);
  }

  /** `/api` and `/apis`, plain or with all that is below them. */
  #roots(request: ApiRequest, root: "api" | "apis"): ApiResponse {
    for (const { type, parameters } of parseAccept(request.headers.accept ?? "application/json")) {
      const version = parameters.get("v") ?? "";
      const isAggregated = parameters.get("as") === "APIGroupDiscoveryList";
      if (!isAggregated) break;
      if (type !== "application/json" || parameters.get("g") !== "apidiscovery.k8s.io") continue;
      if (version !== "v2" && version !== "v2beta1") continue;
      const body = aggregated(this.#resources, root === "api" ? "core" : "named", version);
      const contentType = `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
      return {
        status: 200,
        headers: {
          "content-type": contentType,
          "cache-control": "no-cache, private",
          vary: "Accept",
        },
        body: `${JSON.stringify(body)}\n`,
      };
    }
    return this.#document(
      request,
      root === "api" ? coreVersions(this.#address(request)) : groupList(this.#resources),
    );
  }

  #address({ headers }: ApiRequest): string {
    return this.#options.address?.() ?? headers.host ?? "";
  }

  #document(request: ApiRequest, value: object): ApiResponse {
    const accept = negotiate(request.headers.accept);
    if (accept.as !== "") throw notAcceptable();
    const mediaType =
      accept.mediaType === "application/yaml" ? accept.mediaType : "application/json";
    return answer(200, value, { accept: { ...accept, mediaType }, warnings: [] });
  }

  #paths(): string[] {
    const groups = this.#resources.groups.flatMap(({ name, versions }) => {
      const root = name === "" ? "/api" : `/apis/${name}`;
      return [root, ...versions.map((version) => `${root}/${version}`)];
    });
    const checks = this.#checks.map(({ name }) => name);
    const healths = ["/healthz", "/livez", "/readyz"].flatMap((root) => [
      root,
      ...checks
        .filter((name) => name !== "shutdown" || root === "/readyz")
        .map((name) => `${root}/${name}`),
    ]);
    const others = ["/apis", "/apis/", "/openapi/v2", "/openapi/v3", "/openapi/v3/", "/version"];
    const openId = hasMetadata(this.#options.tokenIssuer) ? openIdPaths : [];
    return [...groups, ...healths, ...others, ...openId].sort();
  }

  #storageHash(kind: AnyKind): string {
    let hash = this.#storageHashes.get(kind);
    if (hash === undefined) {
      const { group, version, kind: name } = storedKind(kind);
      const bytes = this.#options.sha256(`${group}/${version}/${name}`);
      hash = encodeBase64(bytes.subarray(0, 8));
      this.#storageHashes.set(kind, hash);
    }
    return hash;
  }

  async #checkStore(): Promise<string | undefined> {
    try {
      await this.#options.store.currentRevision();
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  #statusError({ method, path }: ApiRequest, error: unknown): StatusError {
    if (error instanceof StatusError) return error;
    this.#options.log.error("request failed", error, { method, path });
    return internalError(error);
  }
}

/** Tokens are looked for in this order. */
function authentication(options: ApiServerOptions, registry: () => Registry): Authentication {
  const { tokenIssuer, staticTokens, bootstrapTokens = false, sha256, log } = options;
  const { audiences } = tokenIssuer;
  const joining = forServer(audiences, (token) => bootstrapUser(registry(), token));
  return {
    tokens: anyOf([
      ...(staticTokens ? [forServer(audiences, (token) => staticTokens.get(token))] : []),
      serviceAccountTokens(registry, tokenIssuer, sha256),
      ...(bootstrapTokens ? [joining] : []),
    ]),
    audiences,
    onRefused: (error) => log.warn("request was not authenticated", { error }),
  };
}

/** Services are the only kind that is allocated anything. */
function allocation(
  { random, serviceRange = "10.0.0.0/24" }: ApiServerOptions,
  cache: WatchCache,
  resources: Resources,
): Allocate {
  const services = resources.find("", "v1", "services");
  if (!services) return () => () => {};
  const allocator = new ServiceAllocator({ cache, kind: services, random, range: serviceRange });
  return (kind, object, old) =>
    kind === services
      ? allocator.begin(
          object as unknown as ServiceDraft,
          old as unknown as ServiceBody | undefined,
        )
      : () => {};
}

/** How a refusal is written that comes before it is known what else the client accepts. */
function formOfErrors({ headers }: ApiRequest): Negotiated | undefined {
  try {
    return negotiate(headers.accept);
  } catch {
    return undefined;
  }
}

/** Errors of a path that does not exist are JSON whatever the client accepts. */
function negotiateFor({ headers, method }: ApiRequest, { subresource }: ResourcePath): Negotiated {
  const accept = headers.accept;
  if (method === "GET" && subresource === "" && accept !== undefined && !knownType(accept))
    throw new StatusError(
      "NotAcceptable",
      "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf",
      { details: {} },
    );
  return negotiate(accept);
}

const knownType = (accept: string): boolean =>
  parseAccept(accept).some(({ type }) =>
    /^(\*\/\*|application\/(\*|json|yaml|vnd\.kubernetes\.protobuf))$/.test(type),
  );

const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
