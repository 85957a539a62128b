import { string } from "../../schema/language/field.ts";
import { type Infer, struct } from "../../schema/language/struct.ts";
import { evictionFields } from "./fields/eviction-fields.ts";
import { dropZeroPeriods, typePrefix } from "./fields/field-kinds.ts";
import { nodeFields } from "./fields/node-fields.ts";
import { runtimeFields } from "./fields/runtime-fields.ts";
import { servingFields } from "./fields/serving-fields.ts";
import { systemFields } from "./fields/system-fields.ts";

export const configurationVersion = "kubelet.config.k8s.io/v1beta1";
export const configurationKind = "KubeletConfiguration";

const fields = {
  kind: string(1).default(configurationKind).doc("KubeletConfiguration"),
  apiVersion: string(2).default(configurationVersion).doc("kubelet.config.k8s.io/v1beta1"),
  ...servingFields,
  ...nodeFields,
  ...runtimeFields,
  ...evictionFields,
  ...systemFields,
};

/** The configuration of a kubelet, in upstream's order of fields. */
export const KubeletConfiguration = struct(`${typePrefix}.KubeletConfiguration`, fields)
  .defaults((draft) => {
    // Nodes that compute their status at another pace write it at that pace, too.
    if (!isGiven(draft.nodeStatusReportFrequency))
      draft.nodeStatusReportFrequency = isGiven(draft.nodeStatusUpdateFrequency)
        ? draft.nodeStatusUpdateFrequency
        : "5m0s";
    dropZeroPeriods(fields, draft);
    if ((draft.podPidsLimit ?? 0) < 0) draft.podPidsLimit = -1;
    draft.serializeImagePulls ??= (draft.maxParallelImagePulls ?? 0) < 2;
  })
  .doc("The configuration of a kubelet.");
export interface KubeletConfiguration extends Infer<typeof KubeletConfiguration> {}

const isGiven = (duration: string | undefined): duration is string =>
  duration !== undefined && duration !== "0s";
