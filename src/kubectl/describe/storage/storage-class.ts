import type { StorageClass } from "../../../api/storage/v1/storage-class.ts";
import { describedKinds } from "../described-kinds.ts";
import type { Description } from "../description.ts";
import { eventLines } from "../events.ts";
import { objectDescriber } from "../object-describer.ts";
import { labelsText } from "../selector-text.ts";
import { termLines } from "./term-lines.ts";

const defaultAnnotations = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];

export const describeStorageClass = objectDescriber(
  describedKinds.storageClass,
  async (d, storageClass, context) => {
    const { metadata, provisioner, parameters, allowVolumeExpansion } = storageClass;
    const { annotations } = metadata;
    const events = await context.events(storageClass);
    const isDefault = defaultAnnotations.some((name) => annotations?.[name] === "true");
    d.field("Name", metadata.name ?? "");
    d.field("IsDefaultClass", isDefault ? "Yes" : "No");
    d.field("Annotations", labelsText(annotations));
    d.field("Provisioner", provisioner ?? "");
    d.field("Parameters", labelsText(parameters));
    const expands =
      allowVolumeExpansion === undefined ? "<unset>" : allowVolumeExpansion ? "True" : "False";
    d.field("AllowVolumeExpansion", expands);
    const { mountOptions = [], reclaimPolicy, volumeBindingMode } = storageClass;
    if (mountOptions.length === 0) d.field("MountOptions", "<none>");
    else d.line("MountOptions:");
    for (const option of mountOptions) d.line(option, 1);
    d.optionalField("ReclaimPolicy", reclaimPolicy);
    d.optionalField("VolumeBindingMode", volumeBindingMode);
    topologyLines(d, storageClass);
    eventLines(d, events, context.clock);
  },
);

function topologyLines(d: Description, { allowedTopologies }: StorageClass): void {
  if (!allowedTopologies) return;
  d.field("AllowedTopologies", allowedTopologies.length === 0 ? "<none>" : "");
  for (const [at, { matchLabelExpressions = [] }] of allowedTopologies.entries())
    termLines(d, `Term ${at}`, {
      level: 1,
      requirements: matchLabelExpressions.map(({ key, values }) => ({
        start: `${key} in`,
        values,
      })),
    });
}
