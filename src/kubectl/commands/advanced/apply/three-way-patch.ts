import type { DiscoveredKind } from "../../../../client/discovery/rest-mapper.ts";
import type { DynamicObject } from "../../../../client/resource-kind.ts";
import { isMap, type ReadonlyJsonMap } from "../../../../schema/json/json-value.ts";
import type { Shape } from "../../../../schema/language/shape.ts";
import { applyMergePatch } from "../../../../schema/patch/merge-patch.ts";
import {
  keyUnchanged,
  metadataKeyUnchanged,
  PatchPreconditionError,
} from "../../../../schema/patch/merge-patch-errors.ts";
import { createThreeWayJsonMergePatch } from "../../../../schema/patch/merge-patch-three-way.ts";
import { applyStrategicMergePatch } from "../../../../schema/strategic-merge/apply-strategic-merge-patch.ts";
import { createThreeWayMergePatch } from "../../../../schema/strategic-merge/create-merge-patch.ts";
import type { Factory } from "../../../factory/factory.ts";
import { jsonText } from "../../../print/json-text.ts";
import { builtInShape } from "../../../resource/built-in-shape.ts";
import { openapiShape } from "../../../resource/openapi-shape.ts";
import { lastAppliedAnnotation } from "../../shared/saved-configuration.ts";

/** Where a patch goes to, and how it is made. */
export interface PatchContext {
  readonly factory: Pick<Factory, "openapi">;
  readonly kind: DiscoveredKind;
  /** Whether changes of others are overwritten; otherwise they are conflicts. */
  readonly overwrite: boolean;
  /** Whether the server's documents say how objects merge; otherwise the declarations of this program. */
  readonly usesOpenapi: boolean;
  /** Prints a warning as it is. */
  warn(text: string): void;
}

/** A patch of an object. */
export interface ThreeWayPatch {
  readonly type: "strategic" | "merge";
  readonly body: ReadonlyJsonMap;
}

/** The patch that makes of the object on the server what is to be applied, by what was applied last. */
export async function threeWayPatch(
  modified: DynamicObject,
  current: DynamicObject,
  context: PatchContext,
): Promise<ThreeWayPatch> {
  const { kind, overwrite } = context;
  const original = originalOf(current);
  const strategic = (shape: Shape): ThreeWayPatch => {
    const configurations = { original: original.value, modified, current, overwrite };
    return { type: "strategic", body: createThreeWayMergePatch(shape, configurations) };
  };
  if (context.usesOpenapi) {
    try {
      const document = await (await context.factory.openapi())
        .document(kind)
        .catch(() => undefined);
      const shape = document && openapiShape(document, kind);
      if (shape) return strategic(shape);
    } catch (error) {
      // The original tries again with the older document, which says the same.
      const message = openapiMessage(error as Error);
      for (const version of ["openapi v3", "openapi"])
        context.warn(`warning: error calculating patch from ${version} spec: ${message}\n`);
    }
  }
  try {
    const shape = await builtInShape(kind);
    return shape ? strategic(shape) : mergePatch(original.value, modified, current);
  } catch (error) {
    const texts = [original.text, `${jsonText(modified)}\n`, `${jsonText(current)}\n`];
    throw new Error(
      `creating patch with:\noriginal:\n${texts[0]}\nmodified:\n${texts[1]}\ncurrent:\n${texts[2]}\nfor: ${(error as Error).message}`,
      { cause: error },
    );
  }
}

function mergePatch(
  original: ReadonlyJsonMap,
  modified: DynamicObject,
  current: DynamicObject,
): ThreeWayPatch {
  const preconditions = [
    keyUnchanged("apiVersion"),
    keyUnchanged("kind"),
    metadataKeyUnchanged("name"),
  ];
  try {
    const body = createThreeWayJsonMergePatch({ original, modified, current }, preconditions);
    return { type: "merge", body };
  } catch (error) {
    if (error instanceof PatchPreconditionError)
      throw new Error("At least one of apiVersion, kind and name was changed", { cause: error });
    throw error;
  }
}

/** What a patch makes of an object, for dry runs. */
export async function patchedLocally(
  { type, body }: ThreeWayPatch,
  current: DynamicObject,
  kind: DiscoveredKind,
): Promise<DynamicObject> {
  const shape = type === "strategic" ? await builtInShape(kind) : undefined;
  return (
    shape ? applyStrategicMergePatch(shape, current, body) : applyMergePatch(current, body)
  ) as DynamicObject;
}

/** The configuration that was applied last; empty if there is none. */
function originalOf(current: DynamicObject): {
  readonly text: string;
  readonly value: ReadonlyJsonMap;
} {
  const text = current.metadata.annotations?.[lastAppliedAnnotation] ?? "";
  if (text === "") return { text, value: {} };
  const value = JSON.parse(text) as unknown;
  return { text, value: isMap(value) ? value : {} };
}

/** Documents do not name structs. */
const openapiMessage = ({ message }: Error): string =>
  message.replace(
    /^unable to find api field in struct .* for the json field /,
    "unable to find api field ",
  );
