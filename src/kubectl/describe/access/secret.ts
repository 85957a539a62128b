import { sortedKeys } from "../../../schema/values/utf8-order.ts";
import { describedKinds } from "../described-kinds.ts";
import { headLines } from "../metadata-lines.ts";
import { objectDescriber } from "../object-describer.ts";

export const describeSecret = objectDescriber(
  describedKinds.secret,
  (d, { metadata, type = "", data }) => {
    headLines(d, metadata, true);
    d.line("");
    d.field("Type", type);
    d.write("\nData\n====\n");
    for (const key of sortedKeys(data ?? {})) {
      const value = Buffer.from(data?.[key] ?? "", "base64");
      const isToken = key === "token" && type === "kubernetes.io/service-account-token";
      d.field(key, isToken ? value.toString("utf8") : `${value.length} bytes`);
    }
  },
);
