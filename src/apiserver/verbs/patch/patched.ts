import { DecodeError } from "../../../schema/json/decode.ts";
import { goJson } from "../../../schema/json/go-json.ts";
import { isMap, type JsonMap } from "../../../schema/json/json-value.ts";
import { stringifyJson } from "../../../schema/json/strict-json.ts";
import { apiVersionOf } from "../../../schema/language/kind.ts";
import { quote } from "../../../schema/values/quote.ts";
import { sortedKeys } from "../../../schema/values/utf8-order.ts";
import type { ApiObject, ObjectDraft } from "../../objects/object.ts";
import { internalName } from "../../request/body.ts";
import type { PatchContext } from "./patch.ts";
import { mindStrict, wrongPatch } from "./patch-errors.ts";

/** Where a patched document comes from. */
export interface Origin {
  readonly object: ApiObject;
  readonly patch: unknown;
  /** The errors of strict decoding in the patch itself. */
  readonly faults: readonly string[];
}

/** Decodes a patched document as an object of the kind, as strictly as the client requested. */
export function decodePatched(
  patched: unknown,
  { object, patch, faults }: Origin,
  context: PatchContext,
): ObjectDraft {
  const { kind } = context;
  const shown = () => patchedText(patched, [object, patch]);
  const problem = typeProblem(patched, shown, context);
  if (problem !== undefined) throw wrongPatch(shown(), problem);
  const { value, strict } = decoded(patched as JsonMap, shown, context);
  mindStrict([...faults, ...strict], shown, context);
  // A document may name another kind, which validation then rejects.
  if (kind.form.mustNameKind) return value;
  return Object.assign(value, { kind: kind.kind, apiVersion: apiVersionOf(kind) });
}

function decoded(
  patched: JsonMap,
  shown: () => string,
  { kind }: PatchContext,
): { readonly value: ObjectDraft; readonly strict: readonly string[] } {
  if (isUnversioned(patched) && !kind.form.mustNameKind)
    return { value: { metadata: {} } as ObjectDraft, strict: unread(patched) };
  try {
    const { value, strict } = kind.form.decodeValue(patched, shown);
    return { value: value as ObjectDraft, strict };
  } catch (error) {
    if (error instanceof DecodeError) throw wrongPatch(shown(), error.message);
    throw error;
  }
}

/**
 * A document without a version is decoded as upstream's internal type, whose fields have no JSON names,
 * so that all fields are unknown.
 */
const isUnversioned = (patched: JsonMap): boolean => (patched.apiVersion ?? "") === "";
const unread = (patched: JsonMap): string[] =>
  sortedKeys(patched)
    .filter((name) => name !== "apiVersion" && name !== "kind")
    .map((name) => `unknown field ${quote(name)}`);

const typeMeta =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** The error in the kind and version of a patched document, which `shown` is the text of. */
export function typeProblem(
  patched: unknown,
  shown: () => string,
  context: Pick<PatchContext, "kind" | "resources">,
): string | undefined {
  const unread = "couldn't get version/kind; json parse error: json: cannot unmarshal";
  if (!isMap(patched)) return `${unread} ${jsonKind(patched)} into Go value of type ${typeMeta}`;
  for (const name of ["apiVersion", "kind"])
    if (Object.hasOwn(patched, name) && typeof (patched[name] ?? "") !== "string")
      return `${unread} ${jsonKind(patched[name])} into Go struct field .${name} of type string`;
  if (!context.kind.form.mustNameKind) return conversionProblem(patched, context);
  return patched.kind ? undefined : `Object 'Kind' is missing in '${shown()}'`;
}

/** The error for a document of one kind that cannot be converted to another. */
function conversionProblem(
  patched: JsonMap,
  { kind, resources }: Pick<PatchContext, "kind" | "resources">,
): string | undefined {
  const apiVersion = (patched.apiVersion as string | null | undefined) ?? "";
  const name = ((patched.kind as string | null | undefined) ?? "") || kind.kind;
  if (apiVersion === "") return undefined;
  const parts = apiVersion.split("/");
  if (parts.length > 2) return `unexpected GroupVersion string: ${apiVersion}`;
  const [group = "", version = ""] = parts.length === 2 ? parts : ["", apiVersion];
  if (group === kind.group && version === kind.version && name === kind.kind) return undefined;
  const found = resources.findDeclared(group, version, name);
  if (!found)
    return `no kind ${quote(name)} is registered for version ${quote(apiVersion)} in scheme "pkg/api/legacyscheme/scheme.go:30"`;
  if (found.kind === kind.kind && found.group === kind.group) return undefined;
  return `converting (${version}.${name}) to (${internalName(kind)}): unknown conversion`;
}

function jsonKind(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value === "bigint" ? "number" : typeof value;
}

/**
 * The text of a patched document as upstream has it: members are sorted by name in maps that the
 * patch changed, and in their original order elsewhere.
 */
function patchedText(patched: unknown, sources: readonly unknown[]): string {
  const untouched = new Set<object>();
  const collect = (value: unknown): void => {
    if (typeof value !== "object" || value === null || untouched.has(value)) return;
    untouched.add(value);
    for (const inner of Object.values(value)) collect(inner);
  };
  for (const source of sources) collect(source);
  if (isMap(patched)) untouched.delete(patched);
  const write = (value: unknown): string => {
    if (Array.isArray(value)) return `[${value.map(write).join(",")}]`;
    if (!isMap(value)) return typeof value === "string" ? goJson(value) : stringifyJson(value);
    const names = untouched.has(value) ? Object.keys(value) : sortedKeys(value);
    const members = names.filter((name) => value[name] !== undefined);
    return `{${members.map((name) => `${goJson(name)}:${write(value[name])}`).join(",")}}`;
  };
  return write(patched);
}
