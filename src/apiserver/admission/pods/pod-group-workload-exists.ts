import type { PodGroup } from "../../../api/scheduling/v1alpha2/pod-group.ts";
import type { Workload } from "../../../api/scheduling/v1alpha2/workload.ts";
import { quote } from "../../../schema/values/quote.ts";
import { find } from "../../objects/registry.ts";
import type { Resources } from "../../objects/resources.ts";
import type { AdmissionPlugin } from "../admission.ts";
import type { Cluster } from "../plugins.ts";
import { refusal } from "../refusal.ts";

/** A group of pods is made from a template that its workload has. */
export function podGroupWorkloadExists(cluster: Cluster, resources: Resources): AdmissionPlugin {
  return {
    name: "PodGroupWorkloadExists",
    operations: ["CREATE"],
    resources: ["scheduling.k8s.io/podgroups"],

    async validate(attributes) {
      const { address, object } = attributes;
      const ref = (object as unknown as PodGroup).spec.podGroupTemplateRef?.workload;
      const kind = resources.find("scheduling.k8s.io", "v1alpha2", "workloads");
      if (!ref || !kind) return;
      const { workloadName: name, podGroupTemplateName: template } = ref;
      const reject = (why: string) => refusal(attributes, `PodGroup rejected: ${why}`);
      const found = await find(cluster(), { kind, namespace: address.namespace, name });
      if (!found) throw reject(`Workload ${quote(name)} not found`);
      const { metadata, spec } = found.object as unknown as Workload;
      if (metadata.deletionTimestamp) throw reject(`Workload ${quote(name)} is being deleted`);
      if (!spec.podGroupTemplates?.some((one) => one.name === template))
        throw reject(`PodGroupTemplate ${quote(template)} not found in Workload ${quote(name)}`);
    },
  };
}
