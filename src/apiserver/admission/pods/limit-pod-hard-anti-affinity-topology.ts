import { Pod } from "../../../api/core/v1/pod/pod.ts";
import { forbidden } from "../../../api/meta/v1/status-error.ts";
import type { AdmissionPlugin } from "../admission.ts";
import { objectOf } from "../typed-attributes.ts";
import { isPod } from "./pod.ts";

const hostname = "kubernetes.io/hostname";

/** Required anti-affinity of a pod may use only the hostname as topology key, not a zone or region. */
export const limitPodHardAntiAffinityTopology: AdmissionPlugin = {
  name: "LimitPodHardAntiAffinityTopology",
  operations: ["CREATE", "UPDATE"],

  validate(attributes) {
    if (!isPod(attributes) || attributes.subresource !== "") return;
    const { metadata, spec } = objectOf(Pod, attributes);
    const terms = spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
    const wide = terms?.find(({ topologyKey }) => topologyKey !== hostname);
    if (wide)
      throw forbidden(
        { group: "", resource: "pods", name: metadata.name ?? "" },
        `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${wide.topologyKey} but only key ${hostname} is allowed`,
      );
  },
};
