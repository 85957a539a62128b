import { isExtendedResource } from "../../../api/core/v1/resource-name.ts";
import { compareUtf8 } from "../../../schema/values/utf8-order.ts";
import type { AdmissionPlugin } from "../admission.ts";
import { type PodDraft, podOf } from "./pod.ts";

/** A pod that uses extended resources tolerates the taints of nodes that are dedicated to them. */
export const extendedResourceToleration: AdmissionPlugin = {
  name: "ExtendedResourceToleration",
  operations: ["CREATE", "UPDATE"],

  admit(attributes) {
    const pod = podOf(attributes);
    if (!pod) return;
    const { spec } = pod;
    const names = [...(spec.containers ?? []), ...(spec.initContainers ?? [])]
      .flatMap(({ resources }) => Object.keys(resources?.requests ?? {}))
      .filter(isExtendedResource);
    for (const key of [...new Set(names)].sort(compareUtf8)) tolerate(spec, key);
  },
};

/** A toleration that differs only in how long it holds is replaced. */
function tolerate(spec: PodDraft["spec"], key: string): void {
  const wanted = { key, operator: "Exists" as const, effect: "NoSchedule" as const };
  const tolerations = spec.tolerations ?? [];
  const isOf = ({ key: of, operator, effect, value = "" }: (typeof tolerations)[number]) =>
    of === key && operator === "Exists" && effect === "NoSchedule" && value === "";
  if (!tolerations.some(isOf)) spec.tolerations = [...tolerations, wanted];
  else if (!tolerations.some((one) => isOf(one) && one.tolerationSeconds === undefined))
    spec.tolerations = tolerations.map((one) => (isOf(one) ? wanted : one));
}
