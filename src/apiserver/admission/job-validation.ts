import { Job } from "../../api/batch/v1/job.ts";
import { PodGroup } from "../../api/scheduling/v1alpha2/pod-group.ts";
import { quote } from "../../schema/values/quote.ts";
import type { AdmissionPlugin } from "./admission.ts";
import type { PluginSetup } from "./plugins.ts";
import { rejection } from "./rejection.ts";
import { objectOf, oldOf } from "./typed-attributes.ts";

/** The parallelism of a job whose pods are gang scheduled cannot change. */
export function jobValidation({ reader }: Pick<PluginSetup, "reader">): AdmissionPlugin {
  return {
    name: "JobValidation",
    operations: ["UPDATE"],
    resources: ["batch/jobs"],

    async validate(attributes) {
      const { address } = attributes;
      if (!reader.serves(PodGroup)) return;
      const before = oldOf(Job, attributes);
      if (objectOf(Job, attributes).spec.parallelism === before.spec.parallelism) return;
      const groups = await reader.list(PodGroup, address.namespace);
      const gang = groups.find((one) => isOf(one, before) && one.spec.schedulingPolicy.gang);
      if (gang)
        throw rejection(
          attributes,
          `cannot change parallelism for a Job referencing gang-scheduled PodGroup ${quote(gang.metadata.name ?? "")}`,
        );
    },
  };
}

/** Whether a group is that of a job: the one that its pods name, or else one that it controls. */
function isOf({ metadata }: PodGroup, job: Job): boolean {
  const named = job.spec.template.spec?.schedulingGroup?.podGroupName;
  if (named !== undefined) return metadata.name === named;
  const controller = metadata.ownerReferences?.find((owner) => owner.controller);
  return controller !== undefined && controller.uid === job.metadata.uid;
}
