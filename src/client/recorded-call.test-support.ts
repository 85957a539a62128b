import type { Client, RawRequest } from "./client.ts";
import type { Impersonation } from "./impersonated-user.ts";
import type { JsonPatchOperation, Patch } from "./patch.ts";
import type { RecordedStep } from "./recorded-server.test-support.ts";
import {
  type AnyKind,
  impersonation,
  type Target,
  targetOf,
} from "./recorded-target.test-support.ts";
import {
  type DynamicObject,
  dynamicKind,
  type KubernetesObject,
  type ObjectKey,
} from "./resource-kind.ts";

/** The client method that sends a recorded request. */
export interface RecordedCall {
  /** The method: `list`, `subresource.create`; `raw` if no other can send the request. */
  readonly by: string;
  /** The user to impersonate. */
  readonly as: Impersonation | undefined;
  /** The default namespace of the client. */
  readonly namespace: string;
  readonly run: (client: Client) => Promise<unknown>;
}

type Run = RecordedCall["run"];

/** Finds the client method that sends a recorded request. */
export function recordedCall(step: RecordedStep): RecordedCall {
  const { as, rest } = impersonation(step.headers ?? {});
  const target = targetOf(step, rest);
  const [by, run] = (target && callOf(target)) ?? ["raw", rawCall(step, rest)];
  return { by, as, namespace: target?.namespace ?? "default", run };
}

function callOf(target: Target): readonly [by: string, run: Run] | undefined {
  if (target.name === undefined && target.kind.scope === "Namespaced" && target.method === "POST")
    if (target.namespace === undefined) return undefined;
  // No typed method requests a namespaced object without its namespace.
  if (target.name !== undefined && target.kind.scope === "Namespaced" && !target.namespace)
    return undefined;
  if (target.kind.scope === "Cluster" && target.namespace !== undefined) return undefined;
  if (target.method === "GET") return reading(target);
  if (target.method === "DELETE") return deleting(target);
  if (target.method === "PATCH") return patching(target);
  if (target.method === "POST" || target.method === "PUT") return writing(target);
  return undefined;
}

function reading({ kind, namespace, name, subresource, query }: Target) {
  if (name !== undefined) {
    const { resourceVersion, ...others } = query;
    if (Object.keys(others).length > 0) return undefined;
    const key = { name, namespace };
    const how = { resourceVersion, subresource };
    return ["get", (client) => client.get(kind, key, how)] satisfies [string, Run];
  }
  const { watch, limit, timeoutSeconds, allowWatchBookmarks, sendInitialEvents, ...rest } = query;
  const isNumber = (text: string | undefined) => text === undefined || /^-?\d+$/.test(text);
  if (!isNumber(limit) || !isNumber(timeoutSeconds)) return undefined;
  const known = ["labelSelector", "fieldSelector", "resourceVersion", "resourceVersionMatch"];
  if (Object.keys(rest).some((key) => ![...known, "continue"].includes(key))) return undefined;
  const seconds = timeoutSeconds === undefined ? undefined : Number(timeoutSeconds);
  const how = { ...rest, namespace, timeoutSeconds: seconds };
  if (watch !== undefined) {
    if (allowWatchBookmarks && allowWatchBookmarks !== "true") return undefined;
    if (sendInitialEvents && sendInitialEvents !== "true") return undefined;
    const options = {
      ...how,
      allowWatchBookmarks: allowWatchBookmarks === "true",
      ...(sendInitialEvents && { sendInitialEvents: true }),
    };
    return ["watch", (client) => watched(client, kind, options)] satisfies [string, Run];
  }
  if (allowWatchBookmarks !== undefined || sendInitialEvents !== undefined) return undefined;
  const size = limit === undefined ? undefined : Number(limit);
  return ["list", (client) => client.list(kind, { ...how, limit: size } as object)] satisfies [
    string,
    Run,
  ];
}

/** Collects the events of a watch, and the error that ended it. */
async function watched(client: Client, kind: AnyKind, options: object): Promise<unknown> {
  const events: unknown[] = [];
  try {
    for await (const event of client.watch(kind, options)) events.push(event);
  } catch (error) {
    return { events, error };
  }
  return { events };
}

function deleting({ kind, namespace, name, subresource, query, body = {} }: Target) {
  if (subresource !== undefined || typeof body === "string") return undefined;
  const { apiVersion = "v1", kind: bodyKind = "DeleteOptions", dryRun, ...how } = body as Body;
  const known = ["gracePeriodSeconds", "propagationPolicy", "preconditions"];
  const isPlain =
    apiVersion === "v1" &&
    bodyKind === "DeleteOptions" &&
    Object.keys(how).every((member) => known.includes(member)) &&
    (dryRun === undefined || String(dryRun) === "All");
  if (!isPlain) return undefined;
  const options = { ...how, ...(dryRun !== undefined && { dryRun: true }) };
  if (name !== undefined)
    return Object.keys(query).length > 0
      ? undefined
      : ([
          "delete",
          (client: Client) => client.delete(kind, { name, namespace }, options),
        ] as const);
  const { labelSelector, fieldSelector, ...others } = query;
  if (Object.keys(others).length > 0) return undefined;
  const all = { ...options, namespace, labelSelector, fieldSelector };
  return ["deleteCollection", (client: Client) => client.deleteCollection(kind, all)] as const;
}

interface Body extends Partial<KubernetesObject> {
  readonly [member: string]: unknown;
}

/** The write options of a query; undefined if it has other parameters. */
function writeOptions(query: Record<string, string>) {
  const { dryRun, fieldManager, fieldValidation, ...others } = query;
  if (Object.keys(others).length > 0 || (dryRun !== undefined && dryRun !== "All"))
    return undefined;
  const validation = fieldValidation as "Strict" | undefined;
  return { dryRun: dryRun !== undefined, fieldManager, fieldValidation: validation };
}

/** Subresources with a kind of their own. */
const ownKinds = ["scale", "eviction", "token", "binding"];

const isWhole = (body: unknown): body is DynamicObject =>
  typeof body === "object" &&
  body !== null &&
  typeof (body as Body).apiVersion === "string" &&
  typeof (body as Body).kind === "string";

/** Whether name and namespace of an object match the path. */
function isAt(body: DynamicObject, { kind, name, namespace }: Target): boolean {
  const metadata = body.metadata as Partial<ObjectKey> | null | undefined;
  if (metadata !== undefined && (typeof metadata !== "object" || metadata === null)) return false;
  const isThere = (metadata?.namespace ?? namespace) === namespace;
  return (metadata?.name ?? "") === name && (isThere || kind.scope === "Cluster");
}

function writing(target: Target): readonly [string, Run] | undefined {
  const { method, kind, namespace, name, subresource, query, contentType, body } = target;
  const how = writeOptions(query);
  if (!how || !isWhole(body) || (contentType ?? "application/json") !== "application/json")
    return undefined;
  if (name === undefined) {
    const metadata = body.metadata as { readonly namespace?: unknown } | null | undefined;
    const at = metadata?.namespace ?? namespace;
    if (method !== "POST" || (kind.scope === "Namespaced" && at !== namespace)) return undefined;
    return ["create", (client) => client.create(kind, body, how)];
  }
  if (subresource !== undefined && (method === "POST" || ownKinds.includes(subresource))) {
    const own = partKind(body);
    const part = (client: Client) => client.subresource(kind, { name, namespace }, subresource);
    return method === "POST"
      ? ["subresource.create", (client) => part(client).create(own, body, how)]
      : ["subresource.update", (client) => part(client).update(own, body, how)];
  }
  if (method !== "PUT" || !isAt(body, target)) return undefined;
  return ["update", (client) => client.update(kind, body, { ...how, subresource })];
}

/** The kind of a subresource. */
function partKind({ apiVersion, kind }: DynamicObject): AnyKind {
  const [group = "", version = ""] = apiVersion.includes("/")
    ? apiVersion.split("/")
    : ["", apiVersion];
  return dynamicKind({ group, version, kind, plural: "", scope: "Namespaced" });
}

function patching(target: Target): readonly [string, Run] | undefined {
  const { kind, namespace, name = "", subresource, query, contentType, body } = target;
  const key = { name, namespace };
  const own = subresource !== undefined && ownKinds.includes(subresource);
  if (contentType === "application/apply-patch+yaml") {
    const { force, ...rest } = query;
    const how = writeOptions(rest);
    const { fieldManager } = query;
    if (!how || !fieldManager || !isWhole(body) || !isAt(body, target)) return undefined;
    const options = {
      ...how,
      fieldManager,
      force: force === undefined ? undefined : force === "true",
    };
    if (own)
      return [
        "subresource.apply",
        (client) => client.subresource(kind, key, subresource).apply(partKind(body), body, options),
      ];
    return ["apply", (client) => client.apply(kind, body, { ...options, subresource })];
  }
  const patch = patchOf(contentType, body);
  const how = writeOptions(query);
  if (!patch || !how || name === "") return undefined;
  if (own)
    return [
      "subresource.patch",
      (client) => client.subresource(kind, key, subresource).patch(kind, patch, how),
    ];
  const member = Object.keys(patch)[0] ?? "";
  return [`patch.${member}`, (client) => client.patch(kind, key, patch, { ...how, subresource })];
}

function patchOf(contentType: string | undefined, body: unknown): Patch<object> | undefined {
  const isObject = typeof body === "object" && body !== null;
  if (!isObject) return undefined;
  if (contentType === "application/json-patch+json")
    return Array.isArray(body) ? { json: body as JsonPatchOperation[] } : undefined;
  if (contentType === "application/merge-patch+json") return { merge: body };
  if (contentType === "application/strategic-merge-patch+json") return { strategic: body };
  return undefined;
}

/** The same request by `raw`. */
function rawCall(step: RecordedStep, headers: Readonly<Record<string, string | null>>): Run {
  const [path = "", query = ""] = step.path.split("?");
  const parameters = new URLSearchParams(query);
  const given = Object.entries(headers).filter(([, value]) => value !== null);
  return async (client) => {
    const response = await client.raw({
      method: step.method as RawRequest["method"],
      path,
      query: Object.fromEntries([...parameters.keys()].map((key) => [key, parameters.getAll(key)])),
      headers: Object.fromEntries(given) as Record<string, string>,
      ...(step.body !== undefined && { body: step.body as object | string }),
    });
    return { status: response.status, value: await response.value() };
  };
}
