import { methodNotAllowed } from "../../api/meta/v1/status-error.ts";
import { encodeBase64 } from "../../base/base64.ts";
import type { Clock } from "../../base/clock.ts";
import type { Random } from "../../base/random.ts";
import type { Aggregation } from "../aggregation/aggregation.ts";
import type { Delegates } from "../aggregation/delegates.ts";
import { hasMetadata, openIdPaths, serveOpenId } from "../authentication/openid-metadata.ts";
import type { TokenIssuer } from "../authentication/service-account-tokens.ts";
import { dumpPage } from "../fairness/dump-pages.ts";
import type { PriorityAndFairness } from "../fairness/priority-and-fairness.ts";
import { metricsResponse } from "../metrics/metrics-response.ts";
import type { ServerMetrics } from "../metrics/server-metrics.ts";
import type { AnyKind } from "../objects/object.ts";
import type { ApiGroup, Resources } from "../objects/resources.ts";
import { storedKind } from "../objects/stored.ts";
import {
  anyForm,
  asAsked,
  checkRouted,
  matches,
  mediaTypes,
  type Negotiated,
  negotiate,
  notAcceptable,
  parseAccept,
} from "../request/negotiation.ts";
import { prettyResponse } from "../request/pretty.ts";
import { Query } from "../request/query.ts";
import type { ApiRequest, ApiResponse } from "../request/request.ts";
import { answer, textResponse } from "../request/respond.ts";
import { pathAbsent } from "../verbs/resource-route.ts";
import {
  type CheckOutcome,
  checksOf,
  type HealthCheck,
  health,
  healthEndpoints,
} from "./health-endpoints.ts";
import { OpenApi } from "./openapi/openapi-documents.ts";
import { serveOpenApi } from "./openapi/openapi-handler.ts";
import type { RegisteredApis } from "./registered-apis.ts";
import {
  aggregated,
  coreVersions,
  group,
  groupList,
  type Hash,
  resourceList,
} from "./served-discovery.ts";
import { flagzPage } from "./zpages/flagz.ts";
import { type Page, pageResponse } from "./zpages/page-response.ts";
import { statuszPage } from "./zpages/statusz.ts";

/** The document at `/version`. */
export interface VersionInfo {
  readonly major: string;
  readonly minor: string;
  readonly gitVersion: string;
  readonly [name: string]: string;
}

/** Responds with pages about the process, such as profiles; undefined for all other paths. */
export type DebugPages = (request: ApiRequest) => Promise<ApiResponse> | ApiResponse | undefined;

export interface DocumentsOptions {
  readonly resources: Resources;
  readonly registered: RegisteredApis;
  readonly aggregation: Pick<Aggregation, "openApi">;
  readonly delegates: Pick<Delegates, "discovery" | "groups">;
  readonly tokenIssuer: TokenIssuer;
  readonly version: VersionInfo;
  readonly sha256: Hash;
  /** The address of this server for clients; the request's Host header when absent. */
  readonly address: (() => string) | undefined;
  readonly checks: readonly HealthCheck[];
  readonly metrics: ServerMetrics;
  readonly clock: Clock;
  readonly random: Random;
  /** The values of the server's flags, for `/flagz`; without them it is not served. */
  readonly flags?: Readonly<Record<string, string>>;
  /** Pages about the process; there are none if not given. */
  readonly debugPages?: DebugPages | undefined;
  /** Has pages about its queues and requests. */
  readonly fairness?: PriorityAndFairness | undefined;
}

/** Serves every path that is not a resource's. */
export class Documents {
  readonly #options: DocumentsOptions;
  readonly #resources: Resources;
  readonly #openApi: OpenApi;
  readonly #storageHashes = new Map<AnyKind, string>();

  constructor(options: DocumentsOptions) {
    this.#options = options;
    this.#resources = options.resources;
    this.#openApi = new OpenApi({
      resources: options.resources,
      hash: (text) => hex(options.sha256(text)),
      version: options.version.gitVersion,
      hasOpenIdMetadata: hasMetadata(options.tokenIssuer),
      remote: options.aggregation.openApi,
      now: () => options.clock.now(),
    });
  }

  /** Responds to a request for such a path. */
  async serve(request: ApiRequest): Promise<ApiResponse> {
    const openApi = serveOpenApi(request, this.#openApi, this.#options.clock.now());
    if (openApi) return openApi;
    if (/^\/(healthz|livez|readyz)(\/.|$)/.test(request.path))
      return this.#health(request, request.path);
    const debug = this.#options.debugPages?.(request);
    if (debug) return debug;
    const { all, slis, startedAt } = this.#options.metrics;
    if (request.path === "/metrics") return metricsResponse(request, all, startedAt);
    if (request.path === "/metrics/slis") return metricsResponse(request, slis.metrics, startedAt);
    // The other paths may end in a slash.
    const path = request.path === "/" ? "/" : request.path.replace(/\/+$/, "");
    const dump = this.#dump(request);
    if (dump !== undefined) return textResponse(200, dump);
    const page = this.#page(request.path);
    if (page) return pageResponse(request, page);
    const openId = serveOpenId(request, this.#options.tokenIssuer, this.#address(request));
    if (openId) return openId;
    if (path === "/version") return this.#version(request);
    if (path === "/" || path === "/index.html")
      return prettyResponse(plainDocument(request, { paths: this.#paths() }));
    return this.#discovery(request, path);
  }

  #page(path: string): Page | undefined {
    const { flags, version, random, clock, metrics } = this.#options;
    if (path === "/flagz" && flags) return flagzPage(flags, random);
    if (path !== "/statusz") return undefined;
    const { startedAt } = metrics;
    return statuszPage({ version, startedAt, now: clock.now(), paths: this.#paths(), random });
  }

  #dump({ path, query }: ApiRequest): string | undefined {
    const { fairness, clock } = this.#options;
    const includeRequestDetails = new Query(query).text("includeRequestDetails") !== "";
    return fairness && dumpPage(path, fairness, { now: clock.now(), includeRequestDetails });
  }

  #health(request: ApiRequest, path: string): Promise<ApiResponse> {
    const { checks, metrics } = this.#options;
    const observe = (outcome: CheckOutcome): void => metrics.slis.checked(outcome);
    return health(path, new Query(request.query), { checks, observe });
  }

  #version(request: ApiRequest): ApiResponse {
    if (request.method !== "GET") throw methodNotAllowed();
    const { version } = this.#options;
    checkRouted(request.headers.accept, ["application/json"]);
    return prettyResponse(plainDocument(request, version));
  }

  #discovery(request: ApiRequest, path: string): ApiResponse {
    const [root = "", name = "", version = ""] = path.split("/").filter((part) => part !== "");
    if (root !== "api" && root !== "apis") return textResponse(404, "404 page not found\n");
    if (name === "") return this.#roots(request, root);
    if (root === "apis" && version === "") {
      const found = group({ groups: this.#groups() }, name);
      if (name === "apiregistration.k8s.io") checkRoute(request);
      return found ? this.#document(request, found) : textResponse(404, "404 page not found\n");
    }
    const at = root === "api" ? { group: "", version: name } : { group: name, version };
    const found = resourceList(this.#resources, at, (kind) => this.#storageHash(kind));
    if (!found) return pathAbsent(this.#resources, at.group);
    if (this.#resources.isDeclared(at.group)) checkRoute(request);
    return this.#document(request, found);
  }

  /** `/api` and `/apis`, plain or aggregated. */
  #roots(request: ApiRequest, root: "api" | "apis"): ApiResponse {
    if (root === "api") {
      if (!this.#resources.isDeclared("")) return textResponse(404, "404 page not found\n");
      checkRoute(request);
    }
    const mediaType = aggregatedForm(request);
    if (mediaType) return this.#aggregated(request, root, mediaType);
    return this.#document(
      request,
      root === "api" ? coreVersions(this.#address(request)) : groupList({ groups: this.#groups() }),
    );
  }

  #aggregated(
    request: ApiRequest,
    root: "api" | "apis",
    mediaType: Negotiated["mediaType"],
  ): ApiResponse {
    const groups = this.#groups();
    const of: Resources["of"] = (group, version) => this.#resources.of(group, version);
    const { delegates } = this.#options;
    const remote = (group: string, version: string) => delegates.discovery(group, version);
    const value = aggregated({ groups, of, remote }, root === "api" ? "core" : "named");
    const etag = `"${hex(this.#options.sha256(JSON.stringify(value))).toUpperCase()}"`;
    const known = { etag, vary: "Accept", "cache-control": "public" };
    if (request.headers["if-none-match"] === etag)
      return { status: 304, headers: known, body: undefined };
    const accept = asAsked({ mediaType, as: "", asVersion: "" }, request);
    const answered = answer(200, value, { accept, warnings: [] });
    const contentType = `${mediaType};g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList`;
    return { ...answered, headers: { "content-type": contentType, ...known } };
  }

  #groups(): readonly ApiGroup[] {
    const { registered, delegates } = this.#options;
    return registered.groups([...this.#resources.groups, ...delegates.groups]);
  }

  #address({ headers }: ApiRequest): string {
    return this.#options.address?.() ?? headers.host ?? "";
  }

  #document(request: ApiRequest, value: object): ApiResponse {
    const accept = asAsked(negotiate(request.headers.accept), request);
    if (accept.as !== "") throw notAcceptable();
    const mediaType =
      accept.mediaType === "application/yaml" ? accept.mediaType : "application/json";
    return answer(200, value, { accept: { ...accept, mediaType }, warnings: [] });
  }

  #paths(): string[] {
    const groups = this.#groups().flatMap(({ name, versions }) => {
      const root = name === "" ? "/api" : `/apis/${name}`;
      return [root, ...versions.map((version) => `${root}/${version}`)];
    });
    const healths = healthEndpoints.flatMap((endpoint) => [
      `/${endpoint}`,
      ...checksOf(this.#options.checks, endpoint).map(({ name }) => `/${endpoint}/${name}`),
    ]);
    const others = [
      ...["/apis", "/apis/", "/metrics", "/metrics/slis"],
      ...["/openapi/v2", "/openapi/v3", "/openapi/v3/", "/statusz", "/version"],
      ...(this.#options.flags ? ["/flagz"] : []),
    ];
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
}

/** Rejects what upstream's router does: it allows only GET, and the media types of resources. */
function checkRoute({ method, headers }: ApiRequest): void {
  if (method !== "GET") throw methodNotAllowed();
  checkRouted(headers.accept, mediaTypes);
}

/** A document that is JSON, whatever the client accepts. It is no object of the API, so that it is not audited. */
const plainDocument = (request: ApiRequest, value: object): ApiResponse => ({
  ...answer(200, value, { accept: asAsked(anyForm, request), warnings: [] }),
  described: undefined,
});

/**
 * The form of aggregated discovery, if the client accepts it; undefined otherwise. It is preferred to the plain
 * document, in whatever order the client names the two.
 */
function aggregatedForm({ headers }: ApiRequest): Negotiated["mediaType"] | undefined {
  for (const { type, parameters } of parseAccept(headers.accept ?? "")) {
    const found = aggregatedForms.find((form) => matches(type, form));
    const isAsked =
      parameters.get("g") === "apidiscovery.k8s.io" &&
      parameters.get("v") === "v2" &&
      parameters.get("as") === "APIGroupDiscoveryList";
    if (found && isAsked) return found;
  }
  return undefined;
}

const aggregatedForms = ["application/json", "application/yaml"] as const;

const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
