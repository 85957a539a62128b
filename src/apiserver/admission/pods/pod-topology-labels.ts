import { Node } from "../../../api/core/v1/node/node.ts";
import type { Binding } from "../../../api/core/v1/pod/binding.ts";
import type { ObjectDraft } from "../../objects/object.ts";
import type { AdmissionPlugin, Attributes } from "../admission.ts";
import type { PluginSetup } from "../plugins.ts";
import { isPod, podOf } from "./pod.ts";

const topology = ["topology.kubernetes.io/zone", "topology.kubernetes.io/region"];

/** A pod is labelled with the zone and region of its node, so that it can find out where it runs. */
export function podTopologyLabels({ reader }: Pick<PluginSetup, "reader">): AdmissionPlugin {
  return {
    name: "PodTopologyLabels",
    operations: ["CREATE"],

    async admit(attributes) {
      const name = nodeOf(attributes);
      if (!name) return;
      const node = await reader.get(Node, { name });
      const { labels = {} } = node?.metadata ?? {};
      const { metadata } = attributes.object;
      for (const key of topology) {
        const value = labels[key];
        if (value !== undefined) metadata.labels = { ...metadata.labels, [key]: value };
      }
    },
  };
}

/** The node that a pod is created on or bound to. */
function nodeOf(attributes: Attributes<ObjectDraft>): string | undefined {
  const { subresource, object } = attributes;
  if (!isPod(attributes) || subresource !== "binding") return podOf(attributes)?.spec.nodeName;
  const { target } = object as unknown as Partial<Binding>;
  return target?.kind === "Node" ? target.name : undefined;
}
