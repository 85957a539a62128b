import { join } from "node:path";
import type { Node } from "../../api/core/v1/node/node.ts";
import {
  type Namespace,
  type NodeAgent,
  startAgent,
  startProgram,
  testFolder,
} from "../pods/namespaces.test-support.ts";

/** What a test says of a node. */
export interface TestNode {
  readonly name: string;
  readonly podCIDRs: readonly string[];
  readonly addresses: readonly string[];
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

/** A node in a namespace, with the network of its pods and its routes. */
export interface RoutingNode extends TestNode {
  readonly at: Namespace;
  readonly pods: NodeAgent;
  /** What it knows of a node. */
  read(name: string): Promise<Node>;
  /** Tells it of another node. */
  learn(node: TestNode): Promise<void>;
  forget(name: string): Promise<void>;
  kill(): Promise<void>;
}

/** Starts a node that knows of these nodes. */
export async function startNode(
  at: Namespace,
  node: TestNode,
  others: readonly TestNode[] = [],
): Promise<RoutingNode> {
  const file = join(import.meta.dirname, "routes-driver.test-support.ts");
  const { call, kill } = startProgram(at, file, { nodeName: node.name });
  const pods = await startAgent(at, {
    ...{ folder: `${testFolder()}/addresses`, podCidr: node.podCIDRs.join() },
  });
  for (const one of [node, ...others]) await call("write", one);
  await call("open");
  return {
    ...node,
    ...{ at, pods, kill },
    read: (name) => call("read", name),
    learn: (other) => call("write", other),
    forget: (name) => call("remove", name),
  };
}

/** Tells nodes of each other, with the annotations that they have written. */
export async function introduce(nodes: readonly RoutingNode[]): Promise<void> {
  for (const node of nodes) {
    const { metadata } = await node.read(node.name);
    for (const other of nodes)
      if (other !== node) await other.learn({ ...node, annotations: metadata.annotations });
  }
}
