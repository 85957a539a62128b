import { goType } from "../../../schema/values/go-print.ts";
import { KustomizeError } from "../kustomize-error.ts";
import { nodeValue } from "../nodes/node-value.ts";
import { readNodes } from "../nodes/read-nodes.ts";
import { nodeOfValue } from "../nodes/resolve-node.ts";
import { isEmpty, member, type YamlNode } from "../nodes/yaml-node.ts";
import { checkMetadata, topText } from "./metadata.ts";
import { Resource } from "./resource.ts";

/** Reads all objects of a text; the items of lists count, not the lists. */
export function readResources(text: string): Resource[] {
  const nodes = readNodes(text).filter((node) => !isEmpty(node));
  for (const node of nodes) checkMetadata(node);
  return expandLists(nodes).map((node) => new Resource(node));
}

/** As `readResources`, for a file: its name is in the errors. */
export function readResourceFile(text: string, path: string): Resource[] {
  try {
    return readResources(text);
  } catch (cause) {
    if (!isMalformed(cause)) throw cause;
    throw new KustomizeError(`${cause.message} in File: ${path}`, { cause });
  }
}

/** Whether an error says that a text is no YAML. */
export const isMalformed = (error: unknown): error is Error =>
  error instanceof Error && error.message.includes("MalformedYAMLError");

/** Items come after everything else. */
function expandLists(nodes: readonly YamlNode[]): YamlNode[] {
  const queue = [...nodes];
  const result: YamlNode[] = [];
  for (const node of queue) {
    const kind = topText(node, "kind");
    const items = kind.endsWith("List") ? member(node, "items") : undefined;
    if (items === undefined) {
      result.push(node);
      continue;
    }
    const value = nodeValue(items);
    if (value === null) continue;
    if (!Array.isArray(value)) {
      throw new KustomizeError(`expected array in ${kind}/items, but found ${goType(value)}`);
    }
    const inner = value.map(nodeOfValue).filter((item) => !isEmpty(item));
    for (const item of inner) checkMetadata(item);
    queue.push(...inner);
  }
  return result;
}
