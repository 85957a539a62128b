import { methodNotAllowed, pathNotFound } from "../../api/meta/v1/status-error.ts";
import type { Delegates, Respond } from "../../apiserver/aggregation/delegates.ts";
import { listedResources } from "../../apiserver/aggregation/version-discovery.ts";
import type { ApiGroup } from "../../apiserver/objects/resources.ts";
import type { User } from "../../apiserver/request/identity.ts";
import { asAsked, negotiate } from "../../apiserver/request/negotiation.ts";
import type { ApiRequest, ApiResponse } from "../../apiserver/request/request.ts";
import { groupVersionOf, type RequestTarget } from "../../apiserver/request/request-info.ts";
import { answer } from "../../apiserver/request/respond.ts";

/**
 * A version of a group whose resources are not kinds that are known from the start, such as the metrics of a
 * monitoring system. It is read only.
 */
export interface OpenVersion {
  readonly group: string;
  readonly version: string;
  /** The resources that discovery shows, which may change; others are served, too, if `get` knows them. */
  resources(): readonly OpenResource[];
  /** The response to a request; undefined if there is no such resource. A `StatusError` rejects the request. */
  get(request: OpenRequest): object | undefined | Promise<object | undefined>;
}

/** An entry of discovery. */
export interface OpenResource {
  /** With a slash for a subresource: `pods/requests`. */
  readonly name: string;
  /** The kind of what a request responds with. */
  readonly kind: string;
  readonly namespaced: boolean;
  readonly singularName?: string | undefined;
  /** `get` if not given. */
  readonly verbs?: readonly string[] | undefined;
}

/** A request, by the parts of its path. */
export interface OpenRequest {
  /** Empty for resources of the cluster. */
  readonly namespace: string;
  readonly resource: string;
  /** Empty if the path ends with the resource; `*` is any name that a client may use. */
  readonly name: string;
  readonly subresource: string;
  readonly query: URLSearchParams;
  /** The caller, who may do this. */
  readonly user: User;
  /** Aborted when nobody waits for the response any more. */
  readonly signal: AbortSignal;
}

/** Serves open versions beside the kinds of a server. */
export function openVersions(versions: readonly OpenVersion[]): Delegates {
  const find = (group: string, version: string): OpenVersion | undefined =>
    versions.find((one) => one.group === group && one.version === version);
  return {
    groups: groupsOf(versions),
    discovery(group, version) {
      const found = find(group, version);
      return found && { version, resources: listedResources(resourceList(found)) };
    },
    respondTo(target) {
      const { group, version } = groupVersionOf(target);
      const found = find(group, version);
      return found && respondIn(found, target);
    },
  };
}

const respondIn =
  (version: OpenVersion, target: RequestTarget): Respond =>
  async (request, { user }) => {
    if (request.method !== "GET") throw methodNotAllowed();
    if (target.type === "other") return jsonResponse(request, resourceList(version));
    const { namespace, resource, name, subresource, rest, watch } = target.resource;
    if (watch || rest.length > 0) throw pathNotFound();
    const query = new URLSearchParams(request.query);
    const { signal } = request;
    const wanted = { namespace, resource, name, subresource, query, user, signal };
    const value = await version.get(wanted);
    if (value === undefined) throw pathNotFound();
    return jsonResponse(request, value);
  };

function jsonResponse(request: ApiRequest, value: object): ApiResponse {
  const accept = asAsked(negotiate(request.headers.accept), request);
  const isYaml = accept.mediaType === "application/yaml";
  const mediaType = isYaml ? accept.mediaType : "application/json";
  return answer(200, value, { accept: { ...accept, mediaType }, warnings: [] });
}

const resourceList = ({ group, version, resources }: OpenVersion): object => ({
  kind: "APIResourceList",
  apiVersion: "v1",
  groupVersion: `${group}/${version}`,
  resources: resources().map(({ singularName = "", verbs = ["get"], name, ...rest }) => ({
    name,
    singularName,
    ...rest,
    verbs,
  })),
});

function groupsOf(versions: readonly OpenVersion[]): readonly ApiGroup[] {
  const groups = new Map<string, string[]>();
  for (const { group, version } of versions)
    groups.set(group, [...(groups.get(group) ?? []), version]);
  return Array.from(groups, ([name, all]) => ({ name, versions: all }));
}
