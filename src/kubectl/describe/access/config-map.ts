import { sortedKeys } from "../../../schema/values/utf8-order.ts";
import { describedKinds } from "../described-kinds.ts";
import { eventLines } from "../events.ts";
import { headLines } from "../metadata-lines.ts";
import { objectDescriber } from "../object-describer.ts";

export const describeConfigMap = objectDescriber(
  describedKinds.configMap,
  async (d, configMap, context) => {
    const { metadata, data, binaryData } = configMap;
    headLines(d, metadata, true);
    d.write("\nData\n====\n");
    for (const key of sortedKeys(data ?? {})) {
      d.write(`${key}:\n----\n`);
      d.line(data?.[key] ?? "");
      d.line("");
    }
    d.write("\nBinaryData\n====\n");
    for (const key of sortedKeys(binaryData ?? {}))
      d.line(`${key}: ${Buffer.from(binaryData?.[key] ?? "", "base64").length} bytes`);
    d.line("");
    eventLines(d, await context.eventsOrError(configMap), context.clock);
  },
);
