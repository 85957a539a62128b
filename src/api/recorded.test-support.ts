import { expect } from "vitest";
import { factNames, readFact } from "../../test/facts.ts";
import { verifySignature } from "../../test/verify-signature.ts";
import { applyDefaults } from "../schema/language/defaults.ts";
import type { Kind } from "../schema/language/kind.ts";
import { normalise } from "../schema/language/normalise.ts";
import { At, type FieldError } from "../schema/language/report.ts";
import { pathSegmentName } from "../schema/values/names.ts";
import type { ObjectMeta } from "./meta/v1/object-meta.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "./meta/v1/object-meta-validation.ts";
import { write } from "./write.test-support.ts";

interface Step {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}
/** A request to a real server, and what it answered. */
export interface RecordedCase {
  readonly name: string;
  readonly setup?: readonly Step[];
  readonly request: Step;
  readonly response: { readonly status: number; readonly headers: object; readonly body: unknown };
}
export interface RecordedOptions {
  /** Paths that the comparison leaves out, such as `spec.clusterIP`. */
  readonly without?: readonly string[];
  /** Whether what is accepted is compared too; true if not given. */
  readonly accepted?: boolean;
  /** What the registry does before the strategy of the kind: allocation. */
  readonly begin?: (object: never, old: never | undefined, at: At) => void;
}

/** The recorded creations and replacements of a resource that come as far as validation. */
export function recordedCases(plural: string): readonly RecordedCase[] {
  const files = ["recorded/defaulted", "recorded/invalid"]
    .filter((folder) => factNames(folder).includes(`${plural}.json`))
    .map((folder) => `${folder}/${plural}.json`);
  if (files.length === 0) throw new Error(`nothing was recorded of ${plural}`);
  return files.flatMap((file) => readFact<RecordedCase[]>(file)).filter(reachesValidation);
}

/** Expects that a kind's defaults and rules give what the server answered. */
export function expectRecorded(
  kind: Kind,
  { setup = [], request, response }: RecordedCase,
  { without = [], accepted = true, begin }: RecordedOptions = {},
): void {
  const server: Server = { kind, world: new Map(), begin };
  for (const step of setup) play(server, step);
  const outcome = play(server, request);
  if (response.status === 422) {
    expect(outcome?.errors.map(toCause)).toEqual(causesOf(response.body));
    return;
  }
  expect(outcome?.errors).toEqual([]);
  if (accepted) expect(pruned(outcome?.object, without)).toEqual(pruned(response.body, without));
}

type Json = Record<string, unknown> & { metadata: Record<string, unknown> };
interface Server {
  readonly kind: Kind;
  readonly world: Map<string, Json>;
  readonly begin: RecordedOptions["begin"];
}
interface Outcome {
  readonly object: Json;
  readonly errors: readonly FieldError[];
}

function reachesValidation({ request, response }: RecordedCase): boolean {
  if (typeof request.body !== "object" || request.body === null) return false;
  if (request.method !== "POST" && request.method !== "PUT") return false;
  if (response.status !== 422) return response.status === 200 || response.status === 201;
  const causes = causesOf(response.body);
  // An update without a version is refused before it is looked at.
  return causes.length > 0 && causes[0]?.field !== "metadata.resourceVersion";
}

/** Does to the world what the server would, without admission. */
function play(server: Server, { method, path, body }: Step): Outcome | undefined {
  const { kind } = server;
  const parts = (path.split("?")[0] as string).split("/");
  const position = parts.lastIndexOf(kind.plural);
  if (position < 0 || typeof body !== "object" || body === null) return undefined;
  const object = read(kind, body, parts[parts.indexOf("namespaces") + 1]);
  const name = object.metadata.name ?? `${object.metadata.generateName}xxxxx`;
  if (method === "POST" && position === parts.length - 1)
    return create(server, object, [...parts, name].join("/"));
  if (method !== "PUT") return undefined;
  const key = parts.slice(0, position + 2).join("/");
  return update(server, object, { key, subresource: parts[position + 2] });
}

function read(kind: Kind, body: object, namespace: string | undefined): Json {
  const object = normalise(kind.struct, structuredClone(body))?.value as Json | undefined;
  if (!object) throw new Error("the body does not fit the kind's declaration");
  if (kind.scope === "Namespaced") object.metadata.namespace ??= namespace;
  else delete object.metadata.namespace;
  applyDefaults(kind.struct, object);
  return object;
}

function create({ kind, world, begin }: Server, object: Json, key: string): Outcome {
  const { metadata } = object;
  const at = At.root({ verifySignature });
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  begin?.(object as never, undefined, at);
  if (at.errors.length > 0) return { object, errors: at.errors };
  kind.strategy.prepareCreate?.(object as never, write);
  if (!metadata.name && metadata.generateName) metadata.name = `${metadata.generateName}xxxxx`;
  metadata.uid = "0";
  metadata.resourceVersion = "1";
  metadata.creationTimestamp = "2026-01-01T00:00:00Z";
  kind.validateCreate(object, at);
  if (at.errors.length === 0) commonRules(kind, object, at);
  world.set(key, object);
  return { object, errors: at.errors };
}

function update(
  { kind, world, begin }: Server,
  object: Json,
  { key, subresource }: { readonly key: string; readonly subresource: string | undefined },
): Outcome | undefined {
  const old = world.get(key);
  if (!old || (subresource !== undefined && subresource !== "status")) return undefined;
  for (const field of ["uid", "creationTimestamp", "generation", "resourceVersion"] as const)
    object.metadata[field] = old.metadata[field];
  const before = structuredClone(old) as never;
  const at = At.root({ old, verifySignature });
  if (subresource === undefined) begin?.(object as never, before, at);
  if (at.errors.length > 0) return { object, errors: at.errors };
  const prepare = subresource === "status" ? "prepareStatusUpdate" : "prepareUpdate";
  kind.strategy[prepare]?.(object as never, before, write);
  commonRules(kind, object, at);
  const metadata = object.metadata as unknown as ObjectMeta;
  validateObjectMetaUpdate(metadata, old.metadata as unknown as ObjectMeta, at.child("metadata"));
  if (subresource === "status") kind.validateStatusUpdate(object, before, at);
  else kind.validateUpdate(object, before, at);
  world.set(key, object);
  return { object, errors: at.errors };
}

/** What the server asks of the metadata of every kind, beside the kind's own rules. */
function commonRules(kind: Kind, object: Json, at: At): void {
  validateObjectMeta(object.metadata as unknown as ObjectMeta, at.child("metadata"), {
    namespaced: kind.scope === "Namespaced",
    name: pathSegmentName,
  });
}

const toCause = ({ type, message, field }: FieldError) => ({ reason: type, message, field });

function causesOf(body: unknown): readonly { readonly field?: string }[] {
  const { details } = body as { details?: { causes?: readonly { readonly field?: string }[] } };
  return details?.causes ?? [];
}

const generated = ["uid", "resourceVersion", "creationTimestamp", "managedFields", "name"];

function pruned(value: unknown, without: readonly string[]): unknown {
  // Through JSON, so that members that are undefined are absent.
  const copy = JSON.parse(JSON.stringify(value ?? null)) as unknown;
  for (const path of [...without, ...generated.map((name) => `metadata.${name}`)])
    remove(copy, path.split("."));
  return copy;
}

function remove(value: unknown, [name, ...rest]: readonly string[]): void {
  if (typeof value !== "object" || value === null || name === undefined) return;
  const object = value as Record<string, unknown>;
  if (rest.length === 0) delete object[name];
  else if (name === "*") for (const item of Object.values(object)) remove(item, rest);
  else remove(object[name], rest);
}
