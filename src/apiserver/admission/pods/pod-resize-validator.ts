import { Node } from "../../../api/core/v1/node/node.ts";
import { Pod } from "../../../api/core/v1/pod/pod.ts";
import { exceeds, podRequests } from "../../../api/core/v1/pod/pod-requests.ts";
import { StatusError } from "../../../api/meta/v1/status-error.ts";
import {
  parseQuantity,
  quantityMilliValue,
  quantityValue,
} from "../../../schema/values/quantity.ts";
import { quote } from "../../../schema/values/quote.ts";
import type { AdmissionPlugin, Attributes } from "../admission.ts";
import type { PluginSetup } from "../plugins.ts";
import { rejection } from "../rejection.ts";
import { objectOf } from "../typed-attributes.ts";

/** Rejects a resize that exceeds the allocatable resources of the pod's node. */
export function podResizeValidator({ reader }: Pick<PluginSetup, "reader">): AdmissionPlugin {
  return {
    name: "PodResizeValidator",
    operations: ["UPDATE"],
    resources: ["/pods/resize"],

    async validate(attributes) {
      const { old } = attributes;
      if (!reader.serves(Node)) return;
      const pod = objectOf(Pod, attributes);
      const name = pod.spec.nodeName ?? "";
      if (name === "" || pod.metadata.generation === old?.metadata.generation) return;
      const node = await reader.get(Node, { name });
      if (!node) throw rejection(attributes, `node ${quote(name)} not found`);
      const os = node.metadata.labels?.["kubernetes.io/os"] ?? "linux";
      if (os !== "linux")
        throw withCause(
          attributes,
          `pod resize is only supported on linux nodes, node ${quote(name)} is ${quote(os)}`,
          "UnsupportedPlatform",
        );
      const lacking = lackingOn(node, pod);
      if (lacking.length > 0)
        throw withCause(
          attributes,
          `node didn't have enough allocatable resources: ${lacking.join("; ")}`,
          "NodeCapacity",
        );
    },
  };
}

function withCause(attributes: Attributes, why: string, reason: string): StatusError {
  const { message, details } = rejection(attributes, why);
  return new StatusError("Forbidden", message, { details: { ...details, causes: [{ reason }] } });
}

const numbers = { cpu: quantityMilliValue, memory: quantityValue } as const;

/** The requests of a pod that exceed the allocatable resources of its node. */
function lackingOn({ status }: Node, { spec }: Pod): readonly string[] {
  const requests = podRequests(spec);
  return (["cpu", "memory"] as const).flatMap((name) => {
    const requested = `${requests[name] ?? "0"}`;
    const there = `${status?.allocatable?.[name] ?? "0"}`;
    if (!exceeds(requested, there)) return [];
    const count = (amount: string) => numbers[name](parseQuantity(amount));
    return [`${name}, requested: ${count(requested)}, allocatable: ${count(there)}`];
  });
}
