import type { DynamicObject } from "../../../../client/resource-kind.ts";
import { sameJson } from "../../../../schema/json/json-value.ts";
import { createMergePatch } from "../../../../schema/patch/merge-patch.ts";
import {
  checkPreconditions,
  keyUnchanged,
  metadataKeyUnchanged,
  PatchPreconditionError,
} from "../../../../schema/patch/merge-patch-errors.ts";
import { createTwoWayMergePatch } from "../../../../schema/strategic-merge/create-merge-patch.ts";
import { goSyntaxText } from "../../../kustomize/nodes/go-syntax-text.ts";
import { jsonText } from "../../../print/json-text.ts";
import type { CommandContext } from "../../../program/kubectl-command.ts";
import { type Helper, helper, type PatchType } from "../../../resource/helper.ts";
import { type Info, kindOf, setObject } from "../../../resource/info.ts";
import { typedShapeOf } from "../../../resource/typed-object.ts";
import type { FieldValidation } from "../../shared/field-validation.ts";
import { objectPrinter } from "../../shared/object-output.ts";
import { lastAppliedAnnotation } from "../../shared/saved-configuration.ts";
import type { EditResults } from "./edit-results.ts";

/** How edited objects are sent. */
export interface WriteOptions {
  readonly context: Pick<
    CommandContext,
    "factory" | "io" | "env" | "cwd" | "signal" | "flags" | "given"
  >;
  readonly originals: readonly Info[];
  readonly results: EditResults;
  readonly fieldManager: string;
  readonly validation: FieldValidation;
  readonly subresource: string;
  /** Whether patches are printed. */
  readonly printsPatch: boolean;
}

/** Creates an object that was edited before. */
export async function createEdited(info: Info, options: WriteOptions): Promise<void> {
  const requests = await requestsOf(info, { ...options, subresource: "" });
  setObject(info, await requests.create(info.namespace, info.object as DynamicObject));
  print(info, "created", options);
}

/** Patches an object with what was edited; errors of the server are results. */
export async function patchEdited(info: Info, options: WriteOptions): Promise<void> {
  const before = originalOf(info, options);
  const after = info.object as DynamicObject;
  if (sameJson(before, after)) return print(info, "skipped", options);
  const { type, patch } = await editPatch(info, before, after);
  const { io } = options.context;
  const body = jsonText(patch);
  if (options.printsPatch) io.stdout.write(`Patch: ${body}\n`);
  try {
    const requests = await requestsOf(info, options);
    setObject(info, await requests.patch(info, { type, body }));
  } catch (error) {
    io.stderr.write(`${options.results.add(error as Error, info)}\n`);
    return;
  }
  print(info, "edited", options);
}

/** Writes an edited configuration to the annotation of its object. */
export async function annotateEdited(info: Info, options: WriteOptions): Promise<void> {
  const before = originalOf(info, options);
  const after = info.object as DynamicObject;
  if (sameJson(before, after)) return print(info, "skipped", options);
  const annotations = {
    ...after.metadata?.annotations,
    [lastAppliedAnnotation]: `${jsonText(after)}\n`,
  };
  const annotated = { ...after, metadata: { ...after.metadata, annotations } };
  const body = jsonText(createMergePatch(after, annotated));
  const requests = await requestsOf(info, options);
  await requests.patch(info, { type: "merge", body });
  print(info, "edited", options);
}

/** The object before it was edited; objects are told apart by their UIDs. */
function originalOf({ object }: Info, { originals }: WriteOptions): DynamicObject {
  const uid = object?.metadata?.uid ?? "";
  const original = originals.find((one) => (one.object?.metadata?.uid ?? "") === uid);
  if (original?.object) return original.object;
  throw new Error(
    `no original object found for &unstructured.Unstructured{Object:${goSyntaxText(object)}}`,
  );
}

const preconditions = [
  keyUnchanged("apiVersion"),
  keyUnchanged("kind"),
  metadataKeyUnchanged("name"),
  keyUnchanged("managedFields"),
];

async function editPatch(
  info: Info,
  before: DynamicObject,
  after: DynamicObject,
): Promise<{ readonly type: PatchType; readonly patch: object }> {
  const shape = await typedShapeOf(kindOf(info));
  try {
    if (shape) {
      const patch = createTwoWayMergePatch(shape, before, after, { preconditions });
      return { type: "strategic", patch };
    }
    const patch = createMergePatch(before, after);
    checkPreconditions(patch, preconditions);
    return { type: "merge", patch };
  } catch (error) {
    if (!(error instanceof PatchPreconditionError)) throw error;
    throw new Error("At least one of apiVersion, kind and name was changed", { cause: error });
  }
}

async function requestsOf(
  info: Info,
  { context: { factory, signal }, fieldManager, validation, subresource }: WriteOptions,
): Promise<Helper> {
  return helper(await factory.client(), kindOf(info), {
    fieldManager,
    fieldValidation: validation,
    subresource,
    signal,
    onWarning: (text) => factory.warn(text),
  });
}

function print({ object }: Info, operation: string, { context }: WriteOptions): void {
  if (object) objectPrinter(context, { operation })(object);
}
