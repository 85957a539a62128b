import { internalError, methodNotAllowed, StatusError } from "../../api/meta/v1/status-error.ts";
import type { Log } from "../../base/log.ts";
import { authenticate } from "../authentication/authenticate.ts";
import { type Attributes, requestAttributes } from "../authorization/attributes.ts";
import { forbiddenTo } from "../authorization/authorize.ts";
import { connect, isConnection } from "../connect/connect.ts";
import type { Connections } from "../connect/kubelet.ts";
import type { Documents } from "../documents/documents.ts";
import type { RegisteredApis } from "../documents/registered-apis.ts";
import { countedResponse } from "../metrics/counted-response.ts";
import type { ServerMetrics } from "../metrics/server-metrics.ts";
import type { Registry } from "../objects/registry.ts";
import { UnreadableObject } from "../objects/stored.ts";
import {
  checkVerb,
  handleResource,
  hasTable,
  kindAt,
  pathAbsent,
  verbOf,
} from "../verbs/resource-handler.ts";
import type { User } from "./identity.ts";
import { impersonation } from "./impersonation/impersonation.ts";
import { wantedUser } from "./impersonation/impersonation-headers.ts";
import type { Draining } from "./load/draining.ts";
import {
  type InFlight,
  isProbe,
  type RequestSort,
  sortOf,
  tooManyRequests,
} from "./load/in-flight.ts";
import { checkpoint, type TimeLimit } from "./load/request-timeout.ts";
import { type Route, routeOf } from "./load/route.ts";
import { acceptedForm, anyForm, asAsked, formOfErrors } from "./negotiation.ts";
import { prettyResponse, wantsPretty } from "./pretty.ts";
import type { ApiRequest, ApiResponse } from "./request.ts";
import type { RequestTarget } from "./request-info.ts";
import type { ResourceRequest } from "./resource-request.ts";
import { errorResponse, textResponse } from "./respond.ts";

/** What requests are answered with. */
export interface Answering {
  readonly registry: Registry;
  readonly documents: Documents;
  readonly registered: RegisteredApis;
  readonly connections: Connections;
  readonly draining: Draining;
  readonly inFlight: InFlight;
  readonly timeLimit: TimeLimit;
  readonly metrics: ServerMetrics;
  /** Milliseconds of a clock that only goes forward. */
  readonly ticks: () => number;
  readonly log: Log;
}

/** Answers requests, each on its way past those who know, judge, limit and count it; never throws. */
export function answering(parts: Answering): (request: ApiRequest) => Promise<ApiResponse> {
  const way = new RequestWay(parts);
  return (request) => way.answer(request);
}

class RequestWay {
  readonly #parts: Answering;
  readonly #impersonate: ReturnType<typeof impersonation>;

  constructor(parts: Answering) {
    this.#parts = parts;
    this.#impersonate = impersonation(parts.registry.authorizer);
  }

  async answer(request: ApiRequest): Promise<ApiResponse> {
    const { ticks, metrics, registry } = this.#parts;
    const route = routeOf(request, ticks);
    const answered = countedResponse(await this.#timely(route), { metrics, route });
    const response = wantsPretty(request) ? prettyResponse(answered) : answered;
    const auditId = request.headers["audit-id"] || registry.entropy.uuid();
    return { ...response, headers: { ...response.headers, "audit-id": auditId } };
  }

  /** Answers in the time that the request has, unless the server is shutting down. */
  async #timely(route: Route): Promise<ApiResponse> {
    const { request, query, target } = route;
    const { draining, timeLimit, metrics } = this.#parts;
    const refusal = draining.refusal(request);
    if (refusal) return refusal;
    if (!target) return textResponse(400, "400 Bad Request");
    if (route.isLongRunning) return this.#judged(route, target);
    draining.enter();
    try {
      const onTimeout = () => {
        route.isGivenUp = true;
        request.abort?.();
        metrics.requests.terminated(route, route.kind, 504);
        return () => metrics.requests.endedLate();
      };
      return await timeLimit.keep(() => this.#judged(route, target), query, onTimeout);
    } catch (error) {
      return errorResponse(this.#statusError(request, error), formOfErrors(request));
    } finally {
      draining.leave();
    }
  }

  /** Answers who may ask that, and is not one too many. */
  async #judged(route: Route, target: RequestTarget): Promise<ApiResponse> {
    const { request, query } = route;
    const { registry, metrics, ticks, inFlight } = this.#parts;
    const warnings: string[] = [];
    let accept = request.wantsValues ? asAsked(anyForm, request) : undefined;
    let counted: RequestSort | undefined;
    let user: User | undefined;
    const begun = ticks();
    try {
      user = await authenticate(request, registry.authentication, warnings);
      metrics.access.authenticated(user.name, begun, ticks());
      checkpoint(route);
      if (target.type === "resource") accept = formOfErrors(request);
      const asked = requestAttributes(request, { user, target, query });
      const wanted = wantedUser(request);
      const attributes = wanted
        ? { ...asked, user: await this.#impersonate(wanted, asked) }
        : asked;
      if (!route.isLongRunning && !isProbe(attributes)) {
        const sort = sortOf(attributes);
        if (!inFlight.enter(sort, attributes.user.groups)) return this.#tooMany(route);
        counted = sort;
      }
      await this.#authorize(attributes);
      checkpoint(route);
      return await this.#served(route, target, { attributes, query, warnings });
    } catch (error) {
      if (!user) metrics.access.authenticated(undefined, begun, ticks());
      return errorResponse(this.#statusError(request, error), accept, warnings);
    } finally {
      if (counted) inFlight.leave(counted);
    }
  }

  async #authorize(attributes: Attributes): Promise<void> {
    const { registry, metrics, ticks } = this.#parts;
    const begun = ticks();
    const { verdict, reason } = await registry.authorizer.authorize(attributes);
    metrics.access.authorized(verdict, begun, ticks());
    if (verdict !== "allow") throw forbiddenTo(attributes, reason);
  }

  #tooMany(route: Route): ApiResponse {
    const { registry, metrics } = this.#parts;
    const { target } = route;
    const { group, version, resource } = target?.type === "resource" ? target.resource : noResource;
    metrics.requests.terminated(route, registry.resources.find(group, version, resource), 429);
    return tooManyRequests();
  }

  async #served(
    route: Route,
    target: RequestTarget,
    asked: Pick<ResourceRequest, "attributes" | "query" | "warnings">,
  ): Promise<ApiResponse> {
    if (this.#isRemote(target)) return textResponse(503, "service unavailable\n");
    if (target.type === "other") return this.#parts.documents.serve(route.request);
    return this.#resource(route, { ...asked, path: target.resource });
  }

  /** Whether another server is to answer: nobody is asked yet. */
  #isRemote(target: RequestTarget): boolean {
    const { registered } = this.#parts;
    if (target.type === "resource")
      return registered.isRemote(target.resource.group, target.resource.version);
    const [, root, group = "", version = ""] = target.path.split("/");
    return root === "apis" && version !== "" && registered.isRemote(group, version);
  }

  async #resource(
    route: Route,
    asked: Pick<ResourceRequest, "attributes" | "path" | "query" | "warnings">,
  ): Promise<ApiResponse> {
    const { request } = route;
    const { registry, connections, metrics } = this.#parts;
    const { path, query } = asked;
    if (!registry.resources.find(path.group, path.version, path.resource))
      return pathAbsent(registry.resources, path.group);
    const kind = kindAt(registry.resources, path);
    const onListed = (): void => metrics.watches.listed(route, kind);
    const about = {
      ...asked,
      registry,
      resources: registry.resources,
      request,
      kind,
      onListed,
      checkpoint: () => checkpoint(route),
    };
    if (kind.struct && isConnection(path)) {
      route.kind = kind;
      return connect({ ...about, accept: formOfErrors(request) ?? anyForm }, connections);
    }
    const { method } = request;
    // A HEAD of what has no router before it is a GET, whose body nobody is sent.
    const isRead = method === "HEAD" && !kind.struct;
    if ((method === "HEAD" && !isRead) || method === "OPTIONS") throw methodNotAllowed();
    const verb = verbOf(isRead ? "GET" : method, path, query);
    checkVerb(kind, path, verb);
    route.kind = kind;
    const accept = acceptedForm(request, kind, {
      isList: path.name === "" && method === "GET",
      hasTable: hasTable(kind, path),
    });
    return handleResource({ ...about, accept }, verb);
  }

  #statusError({ method, path }: ApiRequest, error: unknown): StatusError {
    if (error instanceof StatusError) return error;
    if (error instanceof UnreadableObject) this.#parts.metrics.reads.unreadable(error);
    this.#parts.log.error("request failed", error, { method, path });
    return internalError(error);
  }
}

const noResource = { group: "", version: "", resource: "" };
