import type { PersistentVolumeSpec } from "../../../api/core/v1/volume/persistent-volume-spec.ts";
import { goString } from "../../../schema/values/go-print.ts";
import { describedKinds } from "../described-kinds.ts";
import type { Description } from "../description.ts";
import { eventLines } from "../events.ts";
import { headLines } from "../metadata-lines.ts";
import { objectDescriber } from "../object-describer.ts";
import { amountOf, quantityText } from "../quantities.ts";
import { accessModesText, classAnnotation, phaseText } from "./claim-lines.ts";
import { persistentSources } from "./persistent-sources.ts";
import { chosenSource } from "./source-lines.ts";
import { termLines } from "./term-lines.ts";

export const describePersistentVolume = objectDescriber(
  describedKinds.persistentVolume,
  async (d, volume, context) => {
    const { metadata, spec, status } = volume;
    const events = await context.events(volume);
    headLines(d, metadata, false);
    d.field("Finalizers", goString(metadata.finalizers ?? []));
    d.field("StorageClass", metadata.annotations?.[classAnnotation] ?? spec.storageClassName ?? "");
    d.field("Status", phaseText(metadata, status.phase, context.clock));
    const { claimRef } = spec;
    d.field("Claim", claimRef ? `${claimRef.namespace ?? ""}/${claimRef.name ?? ""}` : "");
    d.field("Reclaim Policy", spec.persistentVolumeReclaimPolicy ?? "");
    d.field("Access Modes", accessModesText(spec.accessModes));
    d.optionalField("VolumeMode", spec.volumeMode);
    d.field("Capacity", quantityText(amountOf(spec.capacity, "storage")));
    affinityLines(d, spec);
    d.field("Message", status.message ?? "");
    d.line("Source:");
    chosenSource(d, spec as unknown as Readonly<Record<string, unknown>>, persistentSources);
    eventLines(d, events, context.clock);
  },
);

function affinityLines(d: Description, { nodeAffinity }: PersistentVolumeSpec): void {
  const required = nodeAffinity?.required;
  d.field("Node Affinity", required ? "" : "<none>");
  if (!required) return;
  const terms = required.nodeSelectorTerms ?? [];
  d.field("Required Terms", terms.length === 0 ? "<none>" : "", 1);
  for (const [at, { matchExpressions = [] }] of terms.entries())
    termLines(d, `Term ${at}`, {
      level: 2,
      requirements: matchExpressions.map(({ key, operator, values }) => ({
        start: `${key} ${operator.toLowerCase()}`,
        values,
      })),
    });
}
