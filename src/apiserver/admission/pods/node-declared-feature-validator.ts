import { Node } from "../../../api/core/v1/node/node.ts";
import { Pod } from "../../../api/core/v1/pod/pod.ts";
import { sameJson } from "../../../schema/json/json-value.ts";
import { quote } from "../../../schema/values/quote.ts";
import type { AdmissionPlugin } from "../admission.ts";
import type { PluginSetup } from "../plugins.ts";
import { rejection } from "../rejection.ts";
import { objectOf, oldOf } from "../typed-attributes.ts";

/** Rejects changes to a pod that need a feature which its node does not declare. */
export function nodeDeclaredFeatureValidator({
  reader,
}: Pick<PluginSetup, "reader">): AdmissionPlugin {
  return {
    name: "NodeDeclaredFeatureValidator",
    operations: ["UPDATE"],
    resources: ["/pods", "/pods/resize"],

    async validate(attributes) {
      if (!reader.serves(Node)) return;
      const pod = objectOf(Pod, attributes);
      const before = oldOf(Pod, attributes);
      const name = pod.spec.nodeName ?? "";
      if (name === "" || pod.metadata.generation === before.metadata.generation) return;
      const needed = features.filter(({ isNeeded }) => isNeeded(pod, before));
      if (needed.length === 0) return;
      const node = await reader.get(Node, { name });
      if (!node) throw rejection(attributes, `node ${quote(name)} not found`);
      const { declaredFeatures = [] } = node.status ?? {};
      const lacking = needed.filter((feature) => !declaredFeatures.includes(feature.name));
      if (lacking.length > 0)
        throw rejection(
          attributes,
          `pod update requires features ${lacking.map((feature) => feature.name).join(", ")} which are not available on node ${quote(name)}`,
        );
    },
  };
}

/** The node features that changes to a pod may need, by name. */
const features: readonly {
  readonly name: string;
  isNeeded(pod: Pod, old: Pod): boolean;
}[] = [
  {
    name: "InPlacePodLevelResourcesVerticalScaling",
    isNeeded: ({ spec }, { spec: old }) => !sameJson(spec.resources, old.resources),
  },
  {
    name: "InPlacePodVerticalScalingInitContainers",
    isNeeded: ({ spec }, { spec: old }) =>
      (old.initContainers ?? []).some(
        ({ restartPolicy, resources }, i) =>
          restartPolicy !== "Always" && !sameJson(resources, spec.initContainers?.[i]?.resources),
      ),
  },
];
