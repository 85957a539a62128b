import { expect, test } from "vitest";
import { rejectionBy } from "../attributes.test-support.ts";
import { limitPodHardAntiAffinityTopology } from "./limit-pod-hard-anti-affinity-topology.ts";

const refused =
  'pods "a" is forbidden: affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey zone but only key kubernetes.io/hostname is allowed';
const away = (...keys: string[]) => ({
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: keys.map((topologyKey) => ({ topologyKey })),
    },
  },
});
const preferred = {
  affinity: {
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        { podAffinityTerm: { topologyKey: "zone" } },
      ],
    },
  },
};

test.each([
  ["from its node", away("kubernetes.io/hostname"), undefined],
  ["from a zone", away("kubernetes.io/hostname", "zone", "region"), refused],
  ["from a zone, if possible", preferred, undefined],
  ["from nothing", {}, undefined],
])("limitPodHardAntiAffinityTopology: a pod that keeps others away %s", async (_, spec, wanted) => {
  const plugin = limitPodHardAntiAffinityTopology;
  expect(await rejectionBy(plugin, { spec })).toEqual(wanted);
  expect(await rejectionBy(plugin, { spec, operation: "UPDATE", old: {} })).toEqual(wanted);
  expect(await rejectionBy(plugin, { spec, subresource: "status" })).toEqual(undefined);
});
