import { goJson } from "../../../schema/json/go-json.ts";
import { yamlToJson } from "../../../schema/yaml/yaml.ts";
import type { PatchArguments } from "../config/kustomization.ts";
import { inContext, isUserError, KustomizeError } from "../kustomize-error.ts";
import { readResourceFile, readResources } from "../resources/read-resources.ts";
import type { Resource } from "../resources/resource.ts";
import { selectResources } from "../resources/selector.ts";
import { applyPatchToAll } from "./apply-patch.ts";
import { applyJsonPatchTo, readJsonPatch } from "./json-patch.ts";
import type { PluginContext, Transformer } from "./plugin.ts";

/** The patches of `patchesStrategicMerge`: each is a file or holds its text. */
export async function strategicPatches(
  { paths, patches }: { paths: readonly string[]; patches: string },
  context: PluginContext,
): Promise<Transformer> {
  if (paths.length === 0 && patches === "") {
    throw new KustomizeError("empty file path and empty patch content");
  }
  const loaded: Resource[] = [];
  for (const path of paths) loaded.push(...(await readInlineOrFile(path, context)));
  if (patches !== "") loaded.push(...readResources(patches));
  if (loaded.length === 0) {
    throw new KustomizeError(
      `patch appears to be empty; files=[${paths.join(" ")}], Patch=${patches}`,
    );
  }
  const { schemas } = context;
  return {
    transform: (map) => {
      for (const patch of loaded) {
        applyPatchToAll(map, patch, { selected: [map.byId(patch.originalId)], schemas });
      }
    },
  };
}

async function readInlineOrFile(text: string, { loader }: PluginContext): Promise<Resource[]> {
  try {
    return readResources(text);
  } catch (error) {
    if (!isUserError(error)) throw error;
    return readResourceFile(await loader.loadText(text), text);
  }
}

/** A patch of `patchesJson6902`. */
export async function jsonPatchTransformer(
  { target, path, patch }: PatchArguments,
  { loader }: PluginContext,
): Promise<Transformer> {
  if (target === undefined || target.name === "") {
    throw new KustomizeError("must specify the target name");
  }
  if (path === "" && patch === "") {
    throw new KustomizeError("empty file path and empty jsonOp");
  }
  if (path !== "" && patch !== "") {
    throw new KustomizeError("must specify a file path or jsonOp, not both");
  }
  const text = path === "" ? patch : await loader.loadText(path);
  if (text === "") throw new KustomizeError(`patch file '${path}' empty seems to be empty`);
  const json = text.startsWith("[") ? text : goJson(yamlToJson(text));
  const operations = inContext(`decoding ${json}`, () => readJsonPatch(json));
  if (operations.length === 0) {
    throw new KustomizeError(`patch appears to be empty; file=${path}, JsonOp=${json}`);
  }
  return {
    transform: (map) => {
      for (const resource of selectResources(map, target)) applyJsonPatchTo(resource, operations);
    },
  };
}
