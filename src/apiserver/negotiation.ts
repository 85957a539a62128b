import { StatusError } from "../api/meta/v1/status-error.ts";
import type { ApiRequest } from "./request.ts";
import type { ResourcePath } from "./request-info.ts";

/** How an answer is to be written. */
export interface Negotiated {
  readonly mediaType: MediaType;
  /** The transformation asked for with `as`. */
  readonly as: "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList" | "";
  readonly asVersion: string;
}
export type MediaType =
  | "application/json"
  | "application/yaml"
  | "application/vnd.kubernetes.protobuf";

export const mediaTypes: readonly MediaType[] = [
  "application/json",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
];

/** What a client is sent that accepts anything. */
export const anyForm: Negotiated = { mediaType: "application/json", as: "", asVersion: "" };

/** Chooses among what the client accepts; throws NotAcceptable when there is nothing. */
export function negotiate(
  accept: string | undefined,
  { hasProtobuf = true }: { readonly hasProtobuf?: boolean } = {},
): Negotiated {
  if (accept === undefined || accept === "" || accept === "application/json") return anyForm;
  for (const { type, parameters } of parseAccept(accept)) {
    const mediaType = mediaTypes.find((known) => matches(type, known));
    if (!mediaType) continue;
    const transform = transformOf(parameters);
    // A table has no form in protobuf.
    if (transform?.as === "Table" && mediaType === "application/vnd.kubernetes.protobuf") continue;
    // Metadata alone is always declared.
    if (transform?.as === "" && mediaType === "application/vnd.kubernetes.protobuf" && !hasProtobuf)
      continue;
    if (transform) return { mediaType, ...transform };
  }
  throw notAcceptable();
}

export const notAcceptable = (types: readonly string[] = mediaTypes): StatusError =>
  new StatusError(
    "NotAcceptable",
    `only the following media types are accepted: ${types.join(", ")}`,
  );

/** One clause of an Accept header. */
export interface AcceptClause {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** The clauses of an Accept header, the most wanted first. */
export function parseAccept(accept: string): AcceptClause[] {
  const clauses = accept.split(",").flatMap((text, index) => {
    const [type = "", ...rest] = text.split(";").map((part) => part.trim());
    if (type === "") return [];
    const parameters = new Map<string, string>();
    for (const parameter of rest) {
      const [key = "", value = ""] = parameter.split("=");
      parameters.set(key.trim().toLowerCase(), value.trim());
    }
    const q = Number(parameters.get("q") ?? 1);
    parameters.delete("q");
    return [{ type: type.toLowerCase(), parameters, q: Number.isNaN(q) ? 1 : q, index }];
  });
  return clauses
    .filter(({ q }) => q > 0)
    .sort((a, b) => b.q - a.q || specificity(b.type) - specificity(a.type) || a.index - b.index);
}

const specificity = (type: string): number => (type === "*/*" ? 0 : type.endsWith("/*") ? 1 : 2);

export function matches(accepted: string, offered: string): boolean {
  if (accepted === offered || accepted === "*/*") return true;
  return accepted.endsWith("/*") && offered.startsWith(accepted.slice(0, -1));
}

function transformOf(
  parameters: ReadonlyMap<string, string>,
): Omit<Negotiated, "mediaType"> | undefined {
  const as = parameters.get("as") ?? "";
  if (as === "") return { as: "", asVersion: "" };
  const version = parameters.get("v") ?? "";
  if (parameters.get("g") !== "meta.k8s.io" || (version !== "v1" && version !== "v1beta1"))
    return undefined;
  if (as === "Table" || as === "PartialObjectMetadata" || as === "PartialObjectMetadataList")
    return { as, asVersion: version };
  return undefined;
}

/** How a refusal is written that comes before it is known what else the client accepts. */
export function formOfErrors({ headers }: ApiRequest): Negotiated | undefined {
  try {
    return negotiate(headers.accept);
  } catch {
    return undefined;
  }
}

/** Errors of a path that does not exist are JSON whatever the client accepts. */
export function negotiateFor(
  { headers, method }: ApiRequest,
  { subresource }: ResourcePath,
): Negotiated {
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
