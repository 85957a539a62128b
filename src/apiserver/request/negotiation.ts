import { StatusError } from "../../api/meta/v1/status-error.ts";
import type { AnyKind } from "../objects/object.ts";
import type { ApiRequest } from "./request.ts";

/** How an answer is to be written. */
export interface Negotiated {
  readonly mediaType: MediaType;
  /** The transformation asked for with `as`. */
  readonly as: "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList" | "";
  readonly asVersion: string;
  /** Whether JSON is not to be written at all, but answered as the value that it stands for. */
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

/** What a client is sent that accepts anything. */
export const anyForm: Negotiated = { mediaType: "application/json", as: "", asVersion: "" };

/** In which ways objects can be written beside JSON and YAML; all if not said. */
export interface Offer {
  readonly hasProtobuf?: boolean;
  readonly hasTable?: boolean;
}

/** Chooses among what the client accepts; throws NotAcceptable when there is nothing. */
export function negotiate(
  accept: string | undefined,
  { hasProtobuf = true, hasTable = true }: Offer = {},
): Negotiated {
  if (accept === undefined || accept === "" || accept === "application/json") return anyForm;
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

/** The clauses of an Accept header, the most wanted first. */
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
    // Upstream's order is none: of two, each may come before the other. So it is sorted in its way.
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

/** What the answer is to become; undefined where the clause asks for what there is not. */
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

/** What was negotiated, for a request that may ask for values where there would be JSON. */
export const asAsked = (negotiated: Negotiated, { wantsValues }: ApiRequest): Negotiated =>
  wantsValues && negotiated.mediaType === "application/json"
    ? { ...negotiated, isValue: true }
    : negotiated;

/** How a refusal is written that comes before it is known what else the client accepts. */
export function formOfErrors(request: ApiRequest): Negotiated | undefined {
  try {
    return asAsked(negotiate(request.headers.accept), request);
  } catch {
    return undefined;
  }
}

/** How objects of a kind are to be written for a request; throws NotAcceptable. */
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
 * Throws where upstream's router would find nothing to send: it looks at types alone, and first, and
 * knows no ranges but that of all.
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
