import { PodGroup } from "../../../api/scheduling/v1alpha2/pod-group.ts";
import { Workload } from "../../../api/scheduling/v1alpha2/workload.ts";
import { quote } from "../../../schema/values/quote.ts";
import type { AdmissionPlugin } from "../admission.ts";
import type { PluginSetup } from "../plugins.ts";
import { rejection } from "../rejection.ts";
import { objectOf } from "../typed-attributes.ts";

/** A group of pods is made from a template that its workload has. */
export function podGroupWorkloadExists({ reader }: Pick<PluginSetup, "reader">): AdmissionPlugin {
  return {
    name: "PodGroupWorkloadExists",
    operations: ["CREATE"],
    resources: ["scheduling.k8s.io/podgroups"],

    async validate(attributes) {
      const { address } = attributes;
      const ref = objectOf(PodGroup, attributes).spec.podGroupTemplateRef?.workload;
      if (!ref || !reader.serves(Workload)) return;
      const { workloadName: name, podGroupTemplateName: template } = ref;
      const reject = (why: string) => rejection(attributes, `PodGroup rejected: ${why}`);
      const found = await reader.get(Workload, { namespace: address.namespace, name });
      if (!found) throw reject(`Workload ${quote(name)} not found`);
      const { metadata, spec } = found;
      if (metadata.deletionTimestamp) throw reject(`Workload ${quote(name)} is being deleted`);
      if (!spec.podGroupTemplates?.some((one) => one.name === template))
        throw reject(`PodGroupTemplate ${quote(template)} not found in Workload ${quote(name)}`);
    },
  };
}
