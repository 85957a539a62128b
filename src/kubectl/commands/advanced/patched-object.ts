import { parseApiVersion } from "../../../client/discovery/server-apis.ts";
import type { DynamicObject } from "../../../client/resource-kind.ts";
import type { ReadonlyJsonMap } from "../../../schema/json/json-value.ts";
import { applyJsonPatch, decodeJsonPatch } from "../../../schema/patch/json-patch.ts";
import { applyMergePatch } from "../../../schema/patch/merge-patch.ts";
import { applyStrategicMergePatch } from "../../../schema/strategic-merge/apply-strategic-merge-patch.ts";
import { builtInShape } from "../../resource/built-in-shape.ts";
import type { PatchType } from "../../resource/helper.ts";

/** Patches an object without the server. */
export async function patchedObject(
  type: PatchType,
  before: DynamicObject,
  patch: unknown,
): Promise<{ readonly patched: DynamicObject; readonly object: DynamicObject }> {
  const object = (await patched(type, before, patch)) as DynamicObject;
  return { patched: object, object };
}

async function patched(type: PatchType, before: DynamicObject, patch: unknown): Promise<unknown> {
  if (type === "json") return jsonPatched(before, patch);
  if (type === "merge") return applyMergePatch(before, patch);
  const { group, version } = parseApiVersion(before.apiVersion);
  const shape = await builtInShape({ group, version, kind: before.kind });
  if (!shape)
    throw new Error(
      `strategic merge patch is not supported for ${group}/${version}, Kind=${before.kind} locally, try --type merge`,
    );
  return applyStrategicMergePatch(shape, before, (patch ?? {}) as ReadonlyJsonMap);
}

function jsonPatched(before: DynamicObject, patch: unknown): unknown {
  try {
    return applyJsonPatch(before, decodeJsonPatch(patch));
  } catch (error) {
    const [, key] = /doc is missing key: (.*)/s.exec((error as Error).message) ?? [];
    if (key === undefined) throw error;
    throw new Error(`Object to be patched is missing field (${key})`, { cause: error });
  }
}
