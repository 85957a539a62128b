import type { OwnerReference } from "../../api/meta/v1/object-meta.ts";
import { parseApiVersion } from "../../client/discovery/server-apis.ts";
import { quote } from "../../schema/values/quote.ts";
import type { DependencyGraph } from "./dependency-graph.ts";
import { dependentsOf, type GraphNode } from "./graph-node.ts";
import { type ObjectReference, ownerIn } from "./object-reference.ts";

/**
 * The graph in Graphviz' language, with edges from dependents to owners: all connected nodes, or those
 * connected with the objects of these uids.
 */
export function graphText(graph: DependencyGraph, uids: readonly string[] = []): string {
  const nodes = uids.length > 0 ? connected(graph, uids) : [...graph.nodes()];
  const vertices = nodes
    .filter(({ dependents, owners }) => dependents || owners.length > 0)
    .map(vertexOf);
  const known = new Set(vertices.map(({ reference }) => reference.uid));
  const edges: { readonly from: string; readonly to: string }[] = [];
  for (const { uid, owners } of nodes)
    for (const owner of owners) {
      if (!known.has(owner.uid)) vertices.push(missingVertex(owner));
      edges.push({ from: uid, to: owner.uid });
    }
  vertices.sort((a, b) => order(a.reference.uid, b.reference.uid));
  edges.sort((a, b) => order(a.from, b.from) || order(a.to, b.to));
  return [
    "strict digraph full {\n",
    ...(vertices.length > 0 ? ["  // Node definitions.\n"] : []),
    ...vertices.map(vertexText),
    ...(edges.length > 0 ? ["  // Edge definitions.\n"] : []),
    ...edges.map(({ from, to }) => `  ${quote(from)} -> ${quote(to)};\n`),
    "}\n",
  ].join("");
}

interface Vertex {
  readonly reference: ObjectReference;
  readonly isBeingDeleted: boolean;
  readonly isDeletingDependents: boolean;
  readonly isVirtual: boolean;
  readonly isMissing: boolean;
}

const vertexOf = (node: GraphNode): Vertex => ({ ...node, reference: node, isMissing: false });

const missingVertex = (owner: OwnerReference): Vertex => ({
  reference: ownerIn(owner, ""),
  isBeingDeleted: false,
  isDeletingDependents: false,
  isVirtual: false,
  isMissing: true,
});

function vertexText(vertex: Vertex): string {
  const { isBeingDeleted, isDeletingDependents, isVirtual, isMissing } = vertex;
  const { apiVersion, kind, namespace, name, uid } = vertex.reference;
  const { group, version } = parseApiVersion(apiVersion);
  const states = [
    ...(isBeingDeleted ? ["beingDeleted"] : []),
    ...(isDeletingDependents ? ["deletingDependents"] : []),
    ...(isVirtual ? ["virtual"] : []),
    ...(isMissing ? ["missingFromGraph"] : []),
  ];
  const type = [kind, version, ...(group ? [group] : [])].join(".");
  const lines = [`uid=${uid}`, `namespace=${namespace}`, `${type}/${name}`, states.join(",")];
  const attributes = {
    label: lines.map((line, i) => (i === 3 && line === "" ? "" : `${line}\n`)).join(""),
    group,
    version,
    kind,
    namespace,
    name,
    uid,
    missing: isMissing,
    beingDeleted: isBeingDeleted,
    deletingDependents: isDeletingDependents,
    virtual: isVirtual,
  };
  const text = Object.entries(attributes).map(
    ([key, value]) => `    ${key}=${quote(`${value}`)}\n`,
  );
  return `  ${quote(uid)} [\n${text.join("")}  ];\n`;
}

/** The nodes of these uids with all owners and dependents, transitively. */
function connected(graph: DependencyGraph, uids: readonly string[]): GraphNode[] {
  const found = new Set<GraphNode>();
  const left = [...uids];
  for (let uid = left.pop(); uid !== undefined; uid = left.pop()) {
    const node = graph.get(uid);
    if (!node || found.has(node)) continue;
    found.add(node);
    left.push(...node.owners.map((owner) => owner.uid));
    for (const dependent of dependentsOf(node)) left.push(dependent.uid);
  }
  return [...found];
}

/** Orders as Go does, by bytes, except for characters beyond the first plane. */
const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
