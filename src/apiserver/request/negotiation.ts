import { StatusError } from "../../api/meta/v1/status-error.ts";
import type { AnyKind } from "../objects/object.ts";
import type { ApiRequest } from "./request.ts";

/** The form of a response. */
export interface Negotiated {
  readonly mediaType: MediaType;
  /** The transformation in the parameter `as`. */
  readonly as: "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList" | "";
  readonly asVersion: string;
  /** Whether the response is a value instead of JSON. */
  readonly isValue?: boolean;
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

/** The form for a client that accepts anything. */
export const anyForm: Negotiated = { mediaType: "application/json", as: "", asVersion: "" };

/** The forms beside JSON and YAML; all where absent. */
export interface Offer {
  readonly hasProtobuf?: boolean;
  readonly hasTable?: boolean;
}

/** What clients send that do not care, ours among them; known without parsing. */
const acceptingAnything: ReadonlySet<string> = new Set([
  "",
  "application/json",
  "application/json, */*",
]);

/** Chooses the form that the client prefers; throws NotAcceptable where there is none. */
export function negotiate(
  accept: string | undefined,
  { hasProtobuf = true, hasTable = true }: Offer = {},
): Negotiated {
  if (accept === undefined || acceptingAnything.has(accept)) return anyForm;
  for (const { type, parameters } of parseAccept(accept)) {
    const mediaType = mediaTypes.find((known) => matches(type, known));
    if (!mediaType) continue;
    const transform = transformOf(parameters);
    // A table has no form in protobuf.
    const noTable = !hasTable || mediaType === "application/vnd.kubernetes.protobuf";
    if (transform?.as === "Table" && noTable) continue;
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

/** The clauses of an Accept header, the preferred first. */
export function parseAccept(accept: string): AcceptClause[] {
  const sorted: (AcceptClause & { readonly q: number })[] = [];
  for (const text of accept.split(",")) {
    const [range = "", ...rest] = text.split(";").map((part) => part.trim());
    const type = range === "*" ? "*/*" : range;
    if (type.split("/").length !== 2) continue;
    const parameters = new Map<string, string>();
    let q = 1;
    for (const parameter of rest) {
      const [name = "", value = "", more] = parameter.split("=").map((part) => part.trim());
      if (value === "" || more !== undefined) continue;
      if (name === "q") q = Number(value) || 0;
      else parameters.set(name, value);
    }
    // Upstream's comparison is no order: of two clauses, each may precede the other. So insert as it does.
    let at = sorted.length;
    const clause = { type, parameters, q };
    while (at > 0 && comesBefore(clause, sorted[at - 1] ?? clause)) at--;
    sorted.splice(at, 0, clause);
  }
  return sorted;
}

type Ranked = Pick<AcceptClause, "type"> & { readonly q: number };

const comesBefore = (a: Ranked, b: Ranked): boolean =>
  a.q > b.q ||
  (!a.type.startsWith("*/") && b.type.startsWith("*/")) ||
  (!a.type.endsWith("/*") && b.type.endsWith("/*"));

export function matches(accepted: string, offered: string): boolean {
  if (accepted === offered || accepted === "*/*") return true;
  return accepted.endsWith("/*") && offered.startsWith(accepted.slice(0, -1));
}

/** The transformation that a clause asks for; undefined where there is no such one. */
function transformOf(
  parameters: ReadonlyMap<string, string>,
): Omit<Negotiated, "mediaType"> | undefined {
  if (parameters.has("sv") || (parameters.get("stream") ?? "watch") !== "watch") return undefined;
  const isPlain = !["as", "g", "v"].some((name) => parameters.has(name));
  if (isPlain) return { as: "", asVersion: "" };
  const as = parameters.get("as");
  const version = parameters.get("v") ?? "";
  if (parameters.get("g") !== "meta.k8s.io" || (version !== "v1" && version !== "v1beta1"))
    return undefined;
  if (as === "Table" || as === "PartialObjectMetadata" || as === "PartialObjectMetadataList")
    return { as, asVersion: version };
  return undefined;
}

/** The negotiated form, as a value where the request takes one instead of JSON. */
export const asAsked = (negotiated: Negotiated, { wantsValues }: ApiRequest): Negotiated =>
  wantsValues && negotiated.mediaType === "application/json"
    ? { ...negotiated, isValue: true }
    : negotiated;

/** The form of an error response; undefined where the client accepts no known form. */
export function formOfErrors(request: ApiRequest): Negotiated | undefined {
  try {
    return asAsked(negotiate(request.headers.accept), request);
  } catch {
    return undefined;
  }
}

/** The form of objects of a kind for a request; throws NotAcceptable. */
export function acceptedForm(
  request: ApiRequest,
  kind: Pick<AnyKind, "struct">,
  { isList, hasTable = true }: Offer & { readonly isList: boolean },
): Negotiated {
  const { accept } = request.headers;
  if (!kind.struct) return asAsked(negotiate(accept, { hasProtobuf: false }), request);
  checkRouted(accept, mediaTypes, isList ? streamTypes : []);
  return asAsked(negotiate(accept, { hasTable }), request);
}

const streamTypes = mediaTypes
  .filter((type) => type !== "application/yaml")
  .map((type) => `${type};stream=watch`);

/**
 * Throws NotAcceptable where upstream's router would: it runs first, compares media types only, and knows no
 * range but the one of all types.
 */
export function checkRouted(
  accept: string | undefined,
  offered: readonly string[],
  alsoNamed: readonly string[] = [],
): void {
  if (accept === undefined || accept === "") return;
  const types = accept.split(",").map((clause) => clause.split(";", 1)[0]?.trim() ?? "");
  if (types.some((type) => type === "*/*" || offered.includes(type))) return;
  throw new StatusError(
    "NotAcceptable",
    `406: Not Acceptable\n\nAvailable representations: ${[...offered, ...alsoNamed].join(", ")}`,
    { details: {} },
  );
}
