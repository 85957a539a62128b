import { isMap } from "../../../schema/json/json-value.ts";
import { jsonValue, parseJson } from "../../../schema/json/strict-json.ts";
import {
  applyJsonPatch,
  decodeJsonPatch,
  JsonPatchError,
  type JsonPatchOperation,
} from "../../../schema/patch/json-patch.ts";
import { yamlToJson } from "../../../schema/yaml/yaml.ts";
import { KustomizeError, prefixed } from "../kustomize-error.ts";
import { nodeValue } from "../nodes/node-value.ts";
import { nodeOfValue } from "../nodes/resolve-node.ts";
import { isInternalAnnotation } from "../resources/build-annotations.ts";
import type { Resource } from "../resources/resource.ts";

/** Reads a JSON patch, which may be written as YAML. */
export function readJsonPatch(text: string): JsonPatchOperation[] {
  if (text === "") throw new KustomizeError("empty json patch operations");
  if (text.startsWith("[")) return decodeJsonPatch(jsonValue(parseJson(text)));
  try {
    return decodeJsonPatch(yamlToJson(text));
  } catch (cause) {
    throw prefixed("yaml", cause);
  }
}

/** Applies a JSON patch to an object; what a build remembers of the object stays. */
export function applyJsonPatchTo(resource: Resource, patch: readonly JsonPatchOperation[]): void {
  const { node, annotations } = resource;
  if (node === undefined) return;
  const value = patched(nodeValue(node), patch);
  if (!isMap(value)) {
    throw new KustomizeError(
      "json: cannot unmarshal array into Go value of type map[string]interface {}",
    );
  }
  resource.node = nodeOfValue(value);
  const internal = [...annotations].filter(([name]) => isInternalAnnotation(name));
  resource.setAnnotations(new Map([...resource.annotations, ...internal]));
}

function patched(value: unknown, patch: readonly JsonPatchOperation[]): unknown {
  try {
    return applyJsonPatch(value, patch);
  } catch (cause) {
    if (!(cause instanceof JsonPatchError)) throw cause;
    throw new KustomizeError(cause.message, { cause });
  }
}
