import type { JsonPatchOperation } from "../../../schema/patch/json-patch.ts";
import { quote } from "../../../schema/values/quote.ts";
import { toYaml } from "../../../schema/yaml/yaml.ts";
import { withoutZeros } from "../config/decoder.ts";
import type { PatchArguments } from "../config/kustomization.ts";
import { inContext, isUserError, KustomizeError, prefixed } from "../kustomize-error.ts";
import { buildAnnotation } from "../resources/build-annotations.ts";
import { readResources } from "../resources/read-resources.ts";
import { resIdText } from "../resources/res-id.ts";
import type { ResMap } from "../resources/res-map.ts";
import type { Resource } from "../resources/resource.ts";
import { selectorText, selectResources } from "../resources/selector.ts";
import { applyPatch, applyPatchToAll } from "./apply-patch.ts";
import { applyJsonPatchTo, readJsonPatch } from "./json-patch.ts";
import type { PluginContext, Transformer } from "./plugin.ts";

/** A patch, strategic or JSON, as its text tells, of the objects that a target selects. */
export async function patchTransformer(
  args: PatchArguments,
  context: PluginContext,
): Promise<Transformer> {
  const { text, source } = await patchText(args, context);
  const strategic = attempt(() => readResources(text));
  const json = attempt(() => readJsonPatch(text));
  if (strategic.value?.length && json.value?.length) {
    throw new KustomizeError(`illegally qualifies as both an SM and JSON patch: ${source}`);
  }
  if (strategic.value === undefined && json.value === undefined) {
    throw new KustomizeError(`unable to parse SM or JSON patch from ${source}`);
  }
  if (strategic.value === undefined) {
    const operations = json.value ?? [];
    return { transform: (map) => transformJson(map, operations, { args, source }) };
  }
  const patches = strategic.value;
  for (const patch of patches) {
    if (args.options?.allowNameChange === true) patch.enable(buildAnnotation.allowNameChange);
    if (args.options?.allowKindChange === true) patch.enable(buildAnnotation.allowKindChange);
  }
  return {
    transform: (map) => {
      if (patches.length > 0) transformStrategic(map, patches, { args, source, context });
    },
  };
}

async function patchText(
  args: PatchArguments,
  { loader }: PluginContext,
): Promise<{ text: string; source: string }> {
  const patch = args.patch.trim();
  if (patch === "" && args.path === "") {
    throw new KustomizeError(`must specify one of patch and path in\n${shown(args)}`);
  }
  if (patch !== "" && args.path !== "") {
    throw new KustomizeError(`patch and path can't be set at the same time\n${shown(args)}`);
  }
  if (patch !== "") return { text: patch, source: `[patch: ${quote(patch)}]` };
  try {
    return { text: await loader.loadText(args.path), source: `[path: ${quote(args.path)}]` };
  } catch (cause) {
    throw prefixed(`failed to get the patch file from path(${args.path})`, cause);
  }
}

/** The configuration of a patch as messages show it. */
const shown = (args: PatchArguments): string => toYaml(withoutZeros(args));

function attempt<T>(act: () => T): { value?: T } {
  try {
    return { value: act() };
  } catch (error) {
    if (!isUserError(error)) throw error;
    return {};
  }
}

interface Use {
  readonly args: PatchArguments;
  readonly source: string;
}

function transformStrategic(
  map: ResMap,
  patches: readonly Resource[],
  { args, source, context }: Use & { context: PluginContext },
): void {
  const { schemas } = context;
  const { target } = args;
  const [first] = patches;
  if (target !== undefined && first !== undefined) {
    if (patches.length > 1) {
      throw new KustomizeError(
        `Multiple Strategic-Merge Patches in one \`patches\` entry is not allowed to set \`patches.target\` field: ${source}`,
      );
    }
    const prefix = `unable to find patch target ${quote(selectorText(target))} in \`resources\``;
    const selected = inContext(prefix, () => selectResources(map, target));
    applyPatchToAll(map, first, { selected, schemas });
    return;
  }
  for (const patch of patches) {
    const id = patch.originalId;
    const prefix = `no resource matches strategic merge patch ${quote(resIdText(id))}`;
    applyPatch(
      inContext(prefix, () => map.byId(id)),
      patch,
      schemas,
    );
  }
}

function transformJson(
  map: ResMap,
  operations: readonly JsonPatchOperation[],
  { args, source }: Use,
): void {
  if (args.target === undefined) {
    throw new KustomizeError(`must specify a target for JSON patch ${source}`);
  }
  for (const resource of selectResources(map, args.target)) {
    resource.storePreviousId();
    applyJsonPatchTo(resource, operations);
  }
}
