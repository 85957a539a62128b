import { forbidden } from "../../api/meta/v1/status-error.ts";
import { resourceName } from "../registry.ts";
import type { AdmissionPlugin } from "./admission.ts";
import { oldPod, podOf } from "./pod.ts";

/** The classes that every cluster has. */
const classes: Readonly<Record<string, number>> = {
  "system-cluster-critical": 2_000_000_000,
  "system-node-critical": 2_000_001_000,
};
const policy = "PreemptLowerPriority";

/** A pod's priority follows from its class, and nobody else sets it. */
export const priority: AdmissionPlugin = {
  name: "Priority",

  admit(attributes) {
    const pod = podOf(attributes);
    if (!pod) return;
    const { spec } = pod;
    const { operation, address, old } = attributes;
    if (operation === "UPDATE") {
      spec.priority ??= oldPod(old)?.spec.priority;
      spec.preemptionPolicy ??= oldPod(old)?.spec.preemptionPolicy;
      return;
    }
    const refuse = (why: string) => forbidden(resourceName(address), why);
    const name = spec.priorityClassName ?? "";
    const value = name === "" ? 0 : Object.hasOwn(classes, name) ? classes[name] : undefined;
    if (value === undefined) throw refuse(`no PriorityClass with name ${name} was found`);
    if (spec.priority !== undefined && spec.priority !== value)
      throw refuse(
        `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`,
      );
    if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== policy)
      throw refuse(
        `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${policy} from the given PriorityClass name`,
      );
    spec.priority = value;
    spec.preemptionPolicy = policy;
  },
};
