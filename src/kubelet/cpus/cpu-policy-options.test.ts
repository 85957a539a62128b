import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { machines } from "../topology/machines.test-support.ts";
import { type CpuPolicyOptionsInput, cpuPolicyOptions } from "./cpu-policy-options.ts";
import { cpuTopology } from "./cpu-topology.ts";

const read = (
  options: Readonly<Record<string, string>>,
  more: Partial<CpuPolicyOptionsInput> = {},
) =>
  cpuPolicyOptions({
    ...{ options, topologyPolicy: "none", topology: cpuTopology(machines.dual) },
    features: new Set(["CPUManagerPolicyAlphaOptions", "CPUManagerPolicyBetaOptions"]),
    ...more,
  });

test("cpuPolicyOptions: those that are on", () => {
  const given = {
    "full-pcpus-only": "true",
    "align-by-socket": "0",
    "strict-cpu-reservation": "T",
  };
  expect([...read(given)]).toEqual(["full-pcpus-only", "strict-cpu-reservation"]);
});

each<[options: Record<string, string>, more: Partial<CpuPolicyOptionsInput>, why: string]>([
  [{ fast: "true" }, {}, 'unknown CPU Manager Policy option: "fast"'],
  [
    { "align-by-socket": "true" },
    { features: new Set() },
    'CPU Manager Policy Alpha-level Options not enabled, but option "align-by-socket" provided',
  ],
  [
    { "distribute-cpus-across-numa": "true" },
    { features: new Set() },
    'CPU Manager Policy Beta-level Options not enabled, but option "distribute-cpus-across-numa" provided',
  ],
  [
    { "full-pcpus-only": "yes" },
    {},
    'bad value for option "full-pcpus-only": strconv.ParseBool: parsing "yes": invalid syntax',
  ],
  [
    { "full-pcpus-only": "true", "distribute-cpus-across-cores": "true" },
    {},
    "static policy options full-pcpus-only and distribute-cpus-across-cores can not be used at the same time",
  ],
  [
    { "prefer-align-cpus-by-uncorecache": "true", "distribute-cpus-across-numa": "true" },
    {},
    "static policy options prefer-align-cpus-by-uncorecache and distribute-cpus-across-numa can not be used at the same time",
  ],
  [
    { "align-by-socket": "true" },
    { topologyPolicy: "single-numa-node" },
    "Topolgy manager single-numa-node policy is incompatible with CPUManager align-by-socket policy option",
  ],
  [
    { "align-by-socket": "true" },
    { topology: cpuTopology(machines.twoSocketsPerNode) },
    "Align by socket is not compatible with hardware where number of sockets are more than number of NUMA",
  ],
])("cpuPolicyOptions: rejects %j with %j", (options, more, why) => {
  expect(() => read(options, more)).toThrow(why);
});
