import { Pod } from "../../../api/core/v1/pod/pod.ts";
import { StatusError } from "../../../api/meta/v1/status-error.ts";
import { RuntimeClass } from "../../../api/node/v1/runtime-class.ts";
import { resourceNameFault } from "../../../schema/values/names.ts";
import { compareQuantities, parseQuantity } from "../../../schema/values/quantity.ts";
import { quote } from "../../../schema/values/quote.ts";
import { sortedKeys } from "../../../schema/values/utf8-order.ts";
import type { ObjectDraft } from "../../objects/object.ts";
import type { AdmissionPlugin, Attributes } from "../admission.ts";
import type { Amounts } from "../limits/limit-constraints.ts";
import type { PluginSetup } from "../plugins.ts";
import { rejection } from "../rejection.ts";
import { objectOf } from "../typed-attributes.ts";
import { mergeTolerations } from "./merge-tolerations.ts";
import { type PodDraft, podOf } from "./pod.ts";

/** The runtime class of a new pod must exist; it sets the pod's overhead and scheduling. */
export function runtimeClass({ reader }: Pick<PluginSetup, "reader">): AdmissionPlugin {
  const classOf = async (
    pod: Pod | PodDraft,
    refuse: Refuse,
  ): Promise<RuntimeClass | undefined> => {
    const name = pod.spec.runtimeClassName;
    if (name === undefined || !reader.serves(RuntimeClass)) return undefined;
    const found = await reader.getCachedFirst(RuntimeClass, { name });
    if (!found) {
      const fault = resourceNameFault(name);
      if (fault !== undefined) throw new StatusError("", fault, { code: 500 });
      throw refuse(`pod rejected: RuntimeClass ${quote(name)} not found`);
    }
    return found;
  };
  return {
    name: "RuntimeClass",
    operations: ["CREATE"],
    resources: ["/pods"],

    async admit(attributes) {
      const pod = podOf(attributes);
      if (!pod) return;
      const refuse = refusing(attributes);
      const found = await classOf(pod, refuse);
      if (!found) return;
      setOverhead(pod, found, refuse);
      setScheduling(pod, found, refuse);
    },

    async validate(attributes) {
      if (attributes.subresource !== "") return;
      const pod = objectOf(Pod, attributes);
      const refuse = refusing(attributes);
      const found = await classOf(pod, refuse);
      const { overhead } = pod.spec;
      if (found?.overhead) {
        if (!isSame(found.overhead.podFixed, overhead)) throw refuse(otherOverhead);
      } else if (overhead)
        throw refuse(
          "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
        );
    },
  };
}

type Refuse = (why: string) => Error;

const otherOverhead = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

const refusing =
  (attributes: Attributes | Attributes<ObjectDraft>): Refuse =>
  (why) =>
    rejection(attributes, why);

function setOverhead({ spec }: PodDraft, { overhead }: RuntimeClass, refuse: Refuse): void {
  if (!overhead) return;
  const isSet = Object.keys(spec.overhead ?? {}).length > 0;
  if (isSet && !isSame(overhead.podFixed, spec.overhead)) throw refuse(otherOverhead);
  if (overhead.podFixed) spec.overhead = { ...overhead.podFixed };
  else delete spec.overhead;
}

/** Whether amounts are the same, however they are written. */
function isSame(a: Amounts = {}, b: Amounts = {}): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every(
      (name) =>
        Object.hasOwn(b, name) &&
        compareQuantities(parseQuantity(`${a[name]}`), parseQuantity(`${b[name]}`)) === 0,
    )
  );
}

function setScheduling({ spec }: PodDraft, { scheduling }: RuntimeClass, refuse: Refuse): void {
  if (!scheduling) return;
  const { nodeSelector, tolerations } = scheduling;
  const own = spec.nodeSelector;
  for (const key of sortedKeys(nodeSelector ?? {})) {
    const wanted = nodeSelector?.[key];
    if (own && Object.hasOwn(own, key) && own[key] !== wanted)
      throw refuse(
        `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${wanted}; pod.spec.nodeSelector[${key}] = ${own[key]}`,
      );
  }
  if (nodeSelector) spec.nodeSelector = { ...own, ...nodeSelector };
  const merged = mergeTolerations(spec.tolerations ?? [], tolerations ?? []);
  if (merged.length > 0)
    spec.tolerations = merged.map((toleration) => ({ ...toleration })) as typeof spec.tolerations;
}
