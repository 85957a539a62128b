import { compareUtf8 } from "../../schema/values/utf8-order.ts";
import type { ApiObject } from "../objects/object.ts";
import type { KindOf, Reader } from "../objects/reader.ts";

/**
 * The name of the class that one of the annotations marks as the default. If several
 * are marked, the newest counts, and of equally new ones the first by name.
 */
export async function defaultClass(
  reader: Reader,
  kind: KindOf<Pick<ApiObject, "metadata">>,
  annotations: readonly string[],
): Promise<string | undefined> {
  const marked = (await reader.list(kind)).filter(({ metadata }) =>
    annotations.some((annotation) => metadata.annotations?.[annotation] === "true"),
  );
  const [newest] = marked
    .map(({ metadata: { name = "", creationTimestamp = "" } }) => ({ name, creationTimestamp }))
    .sort(
      (a, b) =>
        compareUtf8(b.creationTimestamp, a.creationTimestamp) || compareUtf8(a.name, b.name),
    );
  return newest?.name;
}
