import { quote } from "../../schema/values/quote.ts";
import { boolOption } from "../config/bool-option.ts";
import type { TopologyPolicy } from "../topology/topology-policy.ts";
import type { CpuTopology } from "./cpu-topology.ts";

/** The options of the static policy, with upstream's names, and the feature gate that each needs. */
const gates = {
  "full-pcpus-only": undefined,
  "strict-cpu-reservation": undefined,
  "prefer-align-cpus-by-uncorecache": undefined,
  "distribute-cpus-across-numa": "Beta",
  "align-by-socket": "Alpha",
  "distribute-cpus-across-cores": "Alpha",
} as const;

type OptionName = keyof typeof gates;

/** The options that are on. */
export type CpuPolicyOptions = ReadonlySet<OptionName>;

/** Pairs of options that exclude each other. */
const conflicts: readonly (readonly [OptionName, OptionName])[] = [
  ["full-pcpus-only", "distribute-cpus-across-cores"],
  ["distribute-cpus-across-numa", "distribute-cpus-across-cores"],
  ["prefer-align-cpus-by-uncorecache", "distribute-cpus-across-cores"],
  ["prefer-align-cpus-by-uncorecache", "distribute-cpus-across-numa"],
];

export interface CpuPolicyOptionsInput {
  readonly options: Readonly<Record<string, string>>;
  /** The feature gates that are on. */
  readonly features: ReadonlySet<string>;
  readonly topology: CpuTopology;
  readonly topologyPolicy: TopologyPolicy["name"];
}

/** Reads the options of the static policy. Throws if they are invalid, or the machine cannot have them. */
export function cpuPolicyOptions(input: CpuPolicyOptionsInput): CpuPolicyOptions {
  const on = new Set<OptionName>();
  for (const [name, value] of Object.entries(input.options)) {
    if (!isOption(name)) throw new Error(`unknown CPU Manager Policy option: ${quote(name)}`);
    const stage = gates[name];
    if (stage && !input.features.has(`CPUManagerPolicy${stage}Options`))
      throw new Error(
        `CPU Manager Policy ${stage}-level Options not enabled, but option ${quote(name)} provided`,
      );
    if (boolOption(name, value)) on.add(name);
  }
  for (const [one, other] of conflicts)
    if (on.has(one) && on.has(other))
      throw new Error(`static policy options ${one} and ${other} can not be used at the same time`);
  if (on.has("align-by-socket")) checkSockets(input);
  return on;
}

const isOption = (name: string): name is OptionName => Object.hasOwn(gates, name);

function checkSockets({ topology: { counts }, topologyPolicy }: CpuPolicyOptionsInput): void {
  if (topologyPolicy === "single-numa-node")
    throw new Error(
      "Topolgy manager single-numa-node policy is incompatible with CPUManager align-by-socket policy option",
    );
  if (counts.socket > counts.node)
    throw new Error(
      "Align by socket is not compatible with hardware where number of sockets are more than number of NUMA",
    );
}
