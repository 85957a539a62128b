import {
  badRequest,
  forbidden,
  methodNotAllowed,
  pathNotFound,
} from "../../api/meta/v1/status-error.ts";
import type { ObjectDraft } from "../objects/object.ts";
import { checkRouted, mediaTypes, negotiate } from "../request/negotiation.ts";
import type { ApiResponse } from "../request/request.ts";
import { parsePath, type ResourcePath } from "../request/request-info.ts";
import { addressOf, type ResourceRequest, requestContext } from "../request/resource-request.ts";
import { forwardedPorts, streamOptions, streamQuery } from "./connect-options.ts";
import type { Connections } from "./kubelet-connection.ts";
import { joinKeepingSlash, type Location } from "./location.ts";
import { podLog } from "./pod-log.ts";
import { proxy } from "./proxy-request.ts";
import { nodeProxy, podProxy, podStream, serviceProxy } from "./targets.ts";
import { upgradeOnly } from "./upgrade.ts";

/** Whether a path opens a connection, rather than reading or writing an object. */
export const isConnection = ({ subresource }: ResourcePath): boolean =>
  Object.hasOwn(methods, subresource);

/** Whether the rest of the path and the body are passed on to the target of a proxy. */
export function passesBody(path: string): boolean {
  if (!path.includes("/proxy")) return false;
  const target = parsePath(path);
  return target?.type === "resource" && target.resource.subresource === "proxy";
}

const streamed = ["GET", "POST"] as const;
const methods: Readonly<Record<string, readonly string[]>> = {
  attach: streamed,
  exec: streamed,
  log: ["GET"],
  portforward: streamed,
  proxy: ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"],
};

/** Connects a client with a node, a pod or a service. */
export async function connect(
  request: ResourceRequest,
  connections: Connections,
): Promise<ApiResponse> {
  const { path, query, parts } = request;
  const { method, signal } = request.request;
  if (path.watch) throw pathNotFound();
  if (!methods[path.subresource]?.includes(method)) throw methodNotAllowed();
  const outbound = { connections, clock: parts.environment.clock, signal };
  if (path.subresource === "log") {
    const { accept } = request.request.headers;
    checkRouted(accept, ["text/plain", ...mediaTypes]);
    negotiate(accept, { hasTable: false });
    return podLog(request, outbound);
  }
  if (query.has("dryRun")) throw badRequest("dryRun is not supported");
  const { options, locate, go } = connection(request, connections);
  await admit(request, options);
  if (go === upgradeOnly) await mayCreate(request);
  return go(request.request, await locate(), outbound);
}

interface Connection {
  /** The options, as admission plugins see them. */
  readonly options: { readonly kind: string; readonly apiVersion: string };
  locate(): Promise<Location>;
  readonly go: typeof upgradeOnly | typeof proxy;
}

/** The connection that a request asks for; throws where its options are invalid. */
function connection(request: ResourceRequest, connections: Connections): Connection {
  const { kind, path, query } = request;
  const { subresource } = path;
  const named = { apiVersion: "v1", kind: `${kind.kind}${optionNames[subresource]}` };
  if (subresource === "proxy") {
    const passed = passedPath(request.request.path, path);
    const rest = joinKeepingSlash(passed);
    const locate = async () => {
      const location = await proxies[path.resource]?.(request, connections);
      if (!location) throw methodNotAllowed();
      return { ...location, path: rest };
    };
    return { options: { ...named, ...(passed !== "" && { path: passed }) }, locate, go: proxy };
  }
  if (subresource === "portforward") {
    const ports = forwardedPorts(query);
    const values: [string, string][] = ports.length > 0 ? [["port", ports.join(",")]] : [];
    return {
      options: { ...named, ...(ports.length > 0 && { ports }) },
      locate: () => podStream(request, { path: "portForward", values }, connections),
      go: upgradeOnly,
    };
  }
  const isExec = subresource === "exec";
  const options = streamOptions(query);
  const values = streamQuery(options, isExec);
  const { container } = options;
  return {
    options: { ...named, ...shownOptions(options, isExec) },
    locate: () => podStream(request, { path: subresource, container, values }, connections),
    go: upgradeOnly,
  };
}

const optionNames: Readonly<Record<string, string>> = {
  attach: "AttachOptions",
  exec: "ExecOptions",
  portforward: "PortForwardOptions",
  proxy: "ProxyOptions",
};

const proxies: Readonly<
  Record<string, (request: ResourceRequest, connections: Connections) => Promise<Location>>
> = { pods: podProxy, services: serviceProxy, nodes: nodeProxy };

/** The options that are set; the command of an exec is always there. */
function shownOptions({ command, ...options }: ReturnType<typeof streamOptions>, isExec: boolean) {
  const set = Object.entries(options).filter(([, value]) => value !== false && value !== "");
  return { ...Object.fromEntries(set), ...(isExec && { command: [...command] }) };
}

async function admit(request: ResourceRequest, options: Connection["options"]): Promise<void> {
  const { parts, path } = request;
  const attributes = {
    operation: "CONNECT" as const,
    address: addressOf(request),
    subresource: path.subresource,
    // Options have no metadata; plugins that handle CONNECT expect that.
    object: options as unknown as ObjectDraft,
    old: undefined,
    context: requestContext(request, { dryRun: false }),
  };
  await parts.admission.admit(attributes);
  await parts.admission.validate(attributes as never);
}

/** A GET that upgrades does the same as a POST, so it needs the right to create, too. */
async function mayCreate({ attributes, parts }: ResourceRequest): Promise<void> {
  if (attributes.verb === "create") return;
  const { verdict, reason } = await parts.access.authorizer.authorize({
    ...attributes,
    verb: "create",
  });
  const { group, resource, name } = attributes;
  if (verdict !== "allow") throw forbidden({ group, resource, name }, reason);
}

/** The decoded path after `proxy`, with its first slash. */
function passedPath(whole: string, { namespace }: ResourcePath): string {
  let left = namespace === "" ? 5 : 7;
  let at = 0;
  while (left > 0) {
    while (whole[at] === "/") at++;
    const end = whole.indexOf("/", at);
    at = end < 0 ? whole.length : end;
    left--;
  }
  return decodeURIComponent(whole.slice(at));
}
