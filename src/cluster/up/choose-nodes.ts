import type { ClusterRecord } from "./cluster-record.ts";

/** The nodes that a command line asks for; what it leaves open stays as it was. */
export interface AskedNodes {
  readonly nodes?: number | undefined;
  readonly isSimulated?: boolean | undefined;
  /** Simulated nodes beside real ones. */
  readonly simulatedNodes?: number | undefined;
}

/** The nodes of a cluster. */
export interface ChosenNodes {
  /** How many there are. */
  readonly nodes: number;
  /** How many of them run containers. */
  readonly realNodes: number;
  /** What users should know of the choice. */
  readonly notice?: string | undefined;
}

/** Chooses the nodes of a cluster: real ones, unless something for them is missing on this machine. */
export function chooseNodes(
  asked: AskedNodes,
  before: Pick<ClusterRecord, "nodes" | "realNodes"> | undefined,
  missing: string | undefined,
): ChosenNodes {
  const { nodes, realNodes = 0 } = before ?? {};
  const wasSimulated = nodes !== undefined && nodes > 0 ? realNodes === 0 : undefined;
  const isSimulated = asked.isSimulated ?? wasSimulated ?? missing !== undefined;
  if (isSimulated) {
    const isFallback = asked.isSimulated === undefined && wasSimulated === undefined;
    return {
      nodes: (asked.nodes ?? nodes ?? 1) + (asked.simulatedNodes ?? 0),
      realNodes: 0,
      ...(isFallback && missing !== undefined && { notice: `nodes are simulated: ${missing}` }),
    };
  }
  if (missing !== undefined)
    throw new Error(
      `nodes that run containers are not possible here: ${missing}; with --simulated, nodes are simulated`,
    );
  const real = asked.nodes ?? (wasSimulated === false ? realNodes : (nodes ?? 1));
  const simulated = asked.simulatedNodes ?? (wasSimulated === false ? (nodes ?? 0) - realNodes : 0);
  return { nodes: real + simulated, realNodes: real };
}
