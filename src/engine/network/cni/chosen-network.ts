import type { ConnectedPod, PodNetwork } from "../../../cri/pod-network.ts";
import type { CniNetwork } from "./cni-network.ts";

/**
 * Connects pods by CNI while there is a configuration, and by another network while there is none. A pod is
 * disconnected by what has connected it.
 */
export function chosenNetwork(cni: CniNetwork, other: PodNetwork): PodNetwork {
  const networkNow = async (): Promise<PodNetwork> => ((await cni.isConfigured()) ? cni : other);
  return {
    problem: async () => (await networkNow()).problem(),
    setRange(podCidrs) {
      cni.setRange(podCidrs);
      other.setRange?.(podCidrs);
    },
    async takeOver(pods, damaged) {
      const byCni: ConnectedPod[] = [];
      const byOther: ConnectedPod[] = [];
      for (const pod of pods) ((await cni.hasConnected(pod.sandboxId)) ? byCni : byOther).push(pod);
      const results = await Promise.allSettled([
        cni.takeOver(byCni, damaged),
        other.takeOver?.(byOther, damaged),
      ]);
      for (const result of results) if (result.status === "rejected") throw result.reason;
    },
    add: async (pod) => (await networkNow()).add(pod),
    remove: async (pod) => ((await cni.hasConnected(pod.sandboxId)) ? cni : other).remove(pod),
  };
}
