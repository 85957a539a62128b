import { PriorityClass } from "../../../api/scheduling/v1/priority-class.ts";
import type { AdmissionPlugin } from "../admission.ts";
import type { PluginSetup } from "../plugins.ts";
import { rejection } from "../rejection.ts";
import { isFor, objectOf } from "../typed-attributes.ts";
import { oldPod, type PodDraft, podOf } from "./pod.ts";

/** The fields of a pod that follow from its priority class, or from having none. */
interface Standing {
  readonly name: string;
  readonly value: number;
  readonly preemptionPolicy: string;
}
const withoutClass: Standing = { name: "", value: 0, preemptionPolicy: "PreemptLowerPriority" };

/** The priority of a pod follows from its class, and cannot be set otherwise; one class is the default. */
export function priority({ reader }: Pick<PluginSetup, "reader">): AdmissionPlugin {
  const classNamed = async (name: string): Promise<Standing | undefined> => {
    const found = await reader.getCachedFirst(PriorityClass, { name });
    return found && standingOf(found);
  };
  /** If several classes are marked as the default, the one with the lowest value counts. */
  const defaultClass = async (): Promise<Standing | undefined> => {
    const all = await reader.list(PriorityClass);
    return all
      .filter(({ globalDefault }) => globalDefault)
      .map(standingOf)
      .reduce<Standing | undefined>(
        (low, one) => (low && low.value <= one.value ? low : one),
        undefined,
      );
  };

  return {
    name: "Priority",
    operations: ["CREATE", "UPDATE"],
    resources: ["/pods", "scheduling.k8s.io/priorityclasses"],

    async admit(attributes) {
      const pod = podOf(attributes);
      if (!pod) return;
      const { spec } = pod;
      const { operation, old } = attributes;
      if (operation === "UPDATE") {
        spec.priority ??= oldPod(old)?.spec.priority;
        spec.preemptionPolicy ??= oldPod(old)?.spec.preemptionPolicy;
        return;
      }
      const name = spec.priorityClassName ?? "";
      const standing =
        name === "" ? ((await defaultClass()) ?? withoutClass) : await classNamed(name);
      const refuse = (why: string) => rejection(attributes, why);
      if (!standing) throw refuse(`no PriorityClass with name ${name} was found`);
      assign(spec, standing, refuse);
    },

    async validate(attributes) {
      const { operation, address } = attributes;
      if (!isFor(PriorityClass, attributes)) return;
      if (!objectOf(PriorityClass, attributes).globalDefault) return;
      const present = await defaultClass();
      if (!present || (operation === "UPDATE" && present.name === address.name)) return;
      throw rejection(
        attributes,
        `PriorityClass ${present.name} is already marked as default. Only one default can exist`,
      );
    },
  };
}

const standingOf = ({ metadata, value, preemptionPolicy }: PriorityClass): Standing => ({
  name: metadata.name ?? "",
  value,
  preemptionPolicy,
});

/** Sets the fields that follow from the class; throws if the pod has other values. */
function assign(spec: PodDraft["spec"], standing: Standing, refuse: (why: string) => Error): void {
  const { name, value, preemptionPolicy } = standing;
  if (spec.priority !== undefined && spec.priority !== value)
    throw refuse(
      `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`,
    );
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== preemptionPolicy)
    throw refuse(
      `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${preemptionPolicy} from the given PriorityClass name`,
    );
  if (name !== "") spec.priorityClassName = name;
  spec.priority = value;
  spec.preemptionPolicy = preemptionPolicy;
}
