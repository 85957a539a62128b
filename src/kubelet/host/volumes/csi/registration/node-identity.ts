import type { Node } from "../../../../../api/core/v1/node/node.ts";
import { errorMessage } from "../../../../../base/error-message.ts";
import { quote } from "../../../../../schema/values/quote.ts";

/** What a driver says of the node that it runs on. */
export interface DriverNodeInfo {
  /** The driver's name of the node. */
  readonly nodeId: string;
  /** How many volumes can be attached; 0 for any number. */
  readonly maxVolumes: number;
  /** Labels that say from where the driver's volumes can be reached. */
  readonly topology: Readonly<Record<string, string>>;
}

const annotation = "csi.volume.kubernetes.io/nodeid";

/** A node with a driver's name of it and the driver's labels; the same node if it has them. */
export function withDriver(node: Node, driver: string, info: DriverNodeInfo): Node {
  const { labels = {} } = node.metadata;
  for (const [key, value] of Object.entries(info.topology)) {
    const existing = labels[key];
    if (existing !== undefined && existing !== value)
      throw new Error(
        `detected topology value collision: driver reported ${quote(key)}:${quote(value)} but existing label is ${quote(key)}:${quote(existing)}`,
      );
  }
  const isLabelled = Object.keys(info.topology).every((key) => labels[key] !== undefined);
  const ids = nodeIds(node);
  if (isLabelled && ids[driver] === info.nodeId) return node;
  const metadata = { ...node.metadata, labels: { ...labels, ...info.topology } };
  return withNodeIds({ ...node, metadata }, { ...ids, [driver]: info.nodeId });
}

/** A node without a driver's name of it; labels stay, because other drivers may share them. */
export function withoutDriver(node: Node, driver: string): Node {
  const { [driver]: id, ...ids } = nodeIds(node);
  return id === undefined ? node : withNodeIds(node, ids);
}

/** The names of a node by driver. */
function nodeIds({ metadata }: Node): Readonly<Record<string, string>> {
  const text = metadata.annotations?.[annotation] ?? "";
  if (text === "") return {};
  try {
    return (JSON.parse(text) ?? {}) as Readonly<Record<string, string>>;
  } catch (error) {
    throw new Error(
      `failed to parse node's ${quote(annotation)} annotation value (${quote(text)}) err=${errorMessage(error)}`,
    );
  }
}

function withNodeIds(node: Node, ids: Readonly<Record<string, string>>): Node {
  const { [annotation]: _, ...others } = node.metadata.annotations ?? {};
  const sorted = Object.entries(ids).sort(([a], [b]) => (a < b ? -1 : 1));
  const text = JSON.stringify(Object.fromEntries(sorted));
  const annotations = sorted.length === 0 ? others : { ...others, [annotation]: text };
  return { ...node, metadata: { ...node.metadata, annotations } };
}
