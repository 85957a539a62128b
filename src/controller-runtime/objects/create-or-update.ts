import { semanticEqual } from "../../api/meta/v1/semantic-equal.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import type { CallOptions } from "../../client/call-options.ts";
import type { Client } from "../../client/client.ts";
import type { PartialInput } from "../../client/patch.ts";
import {
  formatKey,
  type KubernetesObject,
  keyOf,
  type ObjectKey,
  type ResourceKind,
} from "../../client/resource-kind.ts";
import { copyJson, isMap, sameJson } from "../../schema/json/json-value.ts";
import { apiVersionOf } from "../../schema/language/kind.ts";
import type { Draft, Struct } from "../../schema/language/struct.ts";
import { createMergePatch } from "../../schema/patch/merge-patch.ts";

/** The operation on an object, and its result. */
export interface WrittenObject<O> {
  readonly result: "unchanged" | "created" | "updated" | "updatedStatus" | "updatedStatusOnly";
  readonly object: O;
}

/**
 * Creates an object or updates it: `change` edits a copy of the object, or of an empty one with its name
 * if it does not exist. The result is written if it differs. Changes of the status are not written.
 */
export async function createOrUpdate<O extends KubernetesObject, I>(
  { client, kind, signal }: WriteTarget<O, I>,
  key: ObjectKey,
  change: (draft: Draft<O>) => void | Promise<void>,
): Promise<WrittenObject<O>> {
  const existing = await found({ client, kind, signal }, key);
  const next = await changed(existing ?? bare(kind, key), change);
  if (!existing) return created({ client, kind, signal }, next);
  if (meansTheSame(kind, existing, next)) return { result: "unchanged", object: existing };
  const object = await client.update(kind, next as unknown as I, { signal });
  return { result: "updated", object };
}

/**
 * Like `createOrUpdate`, with patches: concurrent changes of other fields are kept. The status of an
 * existing object is written, too.
 */
export async function createOrPatch<O extends KubernetesObject, I>(
  { client, kind, signal }: WriteTarget<O, I>,
  key: ObjectKey,
  change: (draft: Draft<O>) => void | Promise<void>,
): Promise<WrittenObject<O>> {
  const existing = await found({ client, kind, signal }, key);
  const next = await changed(existing ?? bare(kind, key), change);
  if (!existing) return created({ client, kind, signal }, next);
  const { status: oldStatus, ...old } = existing as WithStatus;
  const { status, ...rest } = next as WithStatus;
  let object = existing;
  let result: WrittenObject<O>["result"] = "unchanged";
  if (!sameJson(old, rest)) {
    const merge = createMergePatch(old, rest) as PartialInput<I>;
    object = await client.patch(kind, key, { merge }, { signal });
    result = "updated";
  }
  if (!sameJson(oldStatus, status)) {
    const merge = createMergePatch({ status: oldStatus ?? {} }, { status }) as PartialInput<I>;
    object = await client.patch(kind, key, { merge }, { signal, subresource: "status" });
    result = result === "updated" ? "updatedStatus" : "updatedStatusOnly";
  }
  return { result, object };
}

export interface WriteTarget<O, I> extends CallOptions {
  readonly client: Client;
  readonly kind: ResourceKind<O, I>;
}

interface WithStatus extends KubernetesObject {
  readonly status?: unknown;
}

async function found<O, I>(
  { client, kind, signal }: WriteTarget<O, I>,
  key: ObjectKey,
): Promise<O | undefined> {
  try {
    return await client.get(kind, key, { signal });
  } catch (error) {
    if (StatusError.is(error, "NotFound")) return undefined;
    throw error;
  }
}

async function created<O, I>(
  { client, kind, signal }: WriteTarget<O, I>,
  object: O,
): Promise<WrittenObject<O>> {
  return {
    result: "created",
    object: await client.create(kind, object as unknown as I, { signal }),
  };
}

const bare = <O extends KubernetesObject>(
  kind: ResourceKind<O>,
  { name, namespace }: ObjectKey,
): O =>
  ({
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: namespace === undefined ? { name } : { name, namespace },
  }) as unknown as O;

async function changed<O extends KubernetesObject>(
  object: O,
  change: (draft: Draft<O>) => void | Promise<void>,
): Promise<O> {
  const next = copyJson(object);
  await change(next as Draft<O>);
  if (formatKey(keyOf(next)) !== formatKey(keyOf(object)))
    throw new Error("MutateFn cannot mutate object name and/or object namespace");
  return next;
}

/** Whether two objects have the same meaning: empty equals absent, and 1Gi equals 1024Mi. */
function meansTheSame<O>(kind: ResourceKind<O>, a: O, b: O): boolean {
  const { struct } = kind as { readonly struct?: Struct<O> };
  return struct ? semanticEqual(struct, a, b) : sameJson(withoutBlanks(a), withoutBlanks(b));
}

/** A value without members that are absent, null, or an empty list or map. */
function withoutBlanks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutBlanks);
  if (!isMap(value)) return value;
  const entries = Object.entries(value)
    .map(([name, member]) => [name, withoutBlanks(member)] as const)
    .filter(([, member]) => !isBlank(member));
  return Object.fromEntries(entries);
}

const isBlank = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (typeof value === "object" && Object.keys(value).length === 0);
