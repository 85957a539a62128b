import { compareUtf8 } from "../../schema/values/utf8-order.ts";
import type { AnyKind } from "../objects/object.ts";
import type { Registry } from "../objects/registry.ts";
import { objectsOf } from "./objects-of.ts";

/**
 * The name of the class that one of the annotations marks as the default. Where there are several it
 * is the newest; of those that are equally new, the first by name.
 */
export async function defaultClass(
  registry: Registry,
  kind: AnyKind,
  annotations: readonly string[],
): Promise<string | undefined> {
  const marked = (await objectsOf(registry, kind)).filter(({ metadata }) =>
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
