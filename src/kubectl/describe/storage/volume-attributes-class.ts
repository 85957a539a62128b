import { describedKinds } from "../described-kinds.ts";
import { eventLines } from "../events.ts";
import { objectDescriber } from "../object-describer.ts";
import { labelsText } from "../selector-text.ts";

export const describeVolumeAttributesClass = objectDescriber(
  describedKinds.volumeAttributesClass,
  async (d, attributesClass, context) => {
    const { metadata, driverName, parameters } = attributesClass;
    const events = await context.events(attributesClass);
    d.field("Name", metadata.name ?? "");
    d.field("Annotations", labelsText(metadata.annotations));
    d.field("DriverName", driverName ?? "");
    d.field("Parameters", labelsText(parameters));
    eventLines(d, events, context.clock);
  },
);
