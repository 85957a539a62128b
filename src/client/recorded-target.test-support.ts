import { kinds } from "../api/kinds.generated.ts";
import type { Impersonation } from "./impersonated-user.ts";
import type { RecordedStep } from "./recorded-server.test-support.ts";
import {
  type DynamicObject,
  dynamicKind,
  type KubernetesObject,
  metadataOnly,
  type ResourceKind,
} from "./resource-kind.ts";

export type AnyKind = ResourceKind<DynamicObject, object>;

/** The parts of a request for resources. */
export interface Target {
  readonly method: string;
  readonly kind: AnyKind;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  readonly query: Record<string, string>;
  readonly contentType: string | undefined;
  readonly body: unknown;
}

/** Parses a request; undefined if it is not for a resource or no typed method sends it. */
export function targetOf(
  step: RecordedStep,
  headers: Readonly<Record<string, string | null>>,
): Target | undefined {
  const { accept, "content-type": contentType, ...others } = headers;
  const [path = "", query = ""] = step.path.split("?");
  const at = placeOf(path);
  const parameters = [...new URLSearchParams(query)];
  const isOnce = new Set(parameters.map(([key]) => key)).size === parameters.length;
  if (!at || !isOnce || Object.keys(others).length > 0 || contentType === null) return undefined;
  const as = at.name === undefined ? "PartialObjectMetadataList" : "PartialObjectMetadata";
  const isMetadata = accept === `application/json;as=${as};v=v1;g=meta.k8s.io`;
  if (accept !== undefined && !isMetadata) return undefined;
  const { method, body } = step;
  const kind = kindOf(at, body);
  return {
    ...at,
    method,
    kind: isMetadata ? (metadataOnly(kind) as unknown as AnyKind) : kind,
    query: Object.fromEntries(parameters),
    contentType,
    body,
  };
}

/** The names in a path. */
interface Place extends Pick<ResourceKind, "group" | "version" | "plural"> {
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

function placeOf(path: string): Place | undefined {
  const [root = "", ...parts] = path.split("/").slice(1).map(decodeURIComponent);
  const [group = "", version = "", ...names] = root === "api" ? ["", ...parts] : parts;
  if (!["api", "apis"].includes(root) || version === "") return undefined;
  const isWithin =
    names[0] === "namespaces" &&
    names.length > 2 &&
    !["status", "finalize"].includes(names[2] ?? "");
  const [plural = "", name, subresource, ...more] = isWithin ? names.slice(2) : names;
  if (plural === "" || plural === "watch" || more.length > 0) return undefined;
  if (name === "" || /[%/]/.test(name ?? "") || connections.includes(subresource ?? ""))
    return undefined;
  return { group, version, plural, name, subresource, namespace: isWithin ? names[1] : undefined };
}

/** Subresources that are no objects. */
const connections = ["log", "exec", "attach", "portforward", "proxy"];

/** The declared kind, or a dynamic one. */
function kindOf({ group, version, plural, namespace }: Place, body: unknown): AnyKind {
  const declared = kinds.find(
    (kind) => kind.group === group && kind.version === version && kind.plural === plural,
  );
  if (declared) return declared as unknown as AnyKind;
  const kind = (body as Partial<KubernetesObject> | undefined)?.kind ?? "Unknown";
  return dynamicKind({ group, version, plural, kind, scope: namespace ? "Namespaced" : "Cluster" });
}

/** Splits the impersonation headers from the others. */
export function impersonation(headers: Readonly<Record<string, string | null>>): {
  readonly as: Impersonation | undefined;
  readonly rest: Readonly<Record<string, string | null>>;
} {
  const rest: Record<string, string | null> = {};
  const extra: Record<string, string[]> = {};
  const found: { user?: string; uid?: string; groups?: string[] } = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === null) rest[name] = value;
    else if (name === "impersonate-user") found.user = value;
    else if (name === "impersonate-uid") found.uid = value;
    else if (name === "impersonate-group") found.groups = [value];
    else if (name.startsWith("impersonate-extra-")) extra[name.slice(18)] = [value];
    else rest[name] = value;
  }
  const { user, ...others } = found;
  if (user !== undefined) return { as: { user, ...others, extra }, rest };
  return { as: undefined, rest: { ...headers } };
}
