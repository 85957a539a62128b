import { quote } from "../../schema/values/quote.ts";
import { boolOption } from "../config/bool-option.ts";

/** How resources are aligned to NUMA nodes. */
export interface TopologyPolicy {
  readonly name: "none" | "best-effort" | "restricted" | "single-numa-node";
  /** Whether the resources of each container are aligned, or those of a whole pod. */
  readonly scope: "container" | "pod";
  /** Whether nodes that are close to each other are preferred. */
  readonly preferClosest: boolean;
}

export interface TopologyPolicySettings {
  readonly policy: string;
  readonly scope: string;
  readonly options: Readonly<Record<string, string>>;
  /** The number of NUMA nodes of the machine. */
  readonly nodes: number;
}

/** The policy of a configuration. Throws if the machine cannot have it. */
export function topologyPolicy(settings: TopologyPolicySettings): TopologyPolicy {
  const { policy, scope, options, nodes } = settings;
  const name = policy as TopologyPolicy["name"];
  const common = { name, scope: scope as TopologyPolicy["scope"] };
  if (name === "none") return { ...common, preferClosest: false };
  let preferClosest = false;
  let mostNodes = usualMostNodes;
  for (const [option, value] of Object.entries(options)) {
    if (option === "prefer-closest-numa-nodes") preferClosest = boolOption(option, value);
    else if (option === "max-allowable-numa-nodes") mostNodes = mostNodesOption(option, value);
    else throw new Error(`unknown Topology Manager Policy option: ${quote(option)}`);
  }
  if (nodes > mostNodes)
    throw new Error(`unsupported on machines with more than ${mostNodes} NUMA Nodes`);
  return { ...common, preferClosest };
}

const usualMostNodes = 8;

function mostNodesOption(option: string, value: string): number {
  if (!/^[+-]?\d+$/.test(value))
    throw new Error(
      `unable to convert policy option to integer ${quote(option)}: strconv.Atoi: parsing ${quote(value)}: invalid syntax`,
    );
  if (Number(value) < usualMostNodes)
    throw new Error(
      `the minimum value of ${quote(option)} should not be less than ${usualMostNodes}`,
    );
  return Number(value);
}
