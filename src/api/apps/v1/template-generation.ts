import { quote } from "../../../schema/quote.ts";
import type { Draft } from "../../../schema/struct.ts";
import type { ObjectMeta } from "../../meta/v1/object-meta.ts";
import { badRequest } from "../../meta/v1/status-error.ts";

export const templateGenerationAnnotation = "deprecated.daemonset.template.generation";

/** How often the template of a daemon set has changed: a former field, kept as an annotation. */
export function templateGeneration({ annotations }: ObjectMeta): bigint {
  const text = annotations?.[templateGenerationAnnotation];
  if (text === undefined) return 0n;
  if (!/^[+-]?[0-9]+$/.test(text)) throw unreadable(text, "invalid syntax");
  const generation = BigInt(text.replace(/^\+/, ""));
  if (BigInt.asIntN(64, generation) !== generation) throw unreadable(text, "value out of range");
  return generation;
}

export function setTemplateGeneration(metadata: Draft<ObjectMeta>, generation: bigint): void {
  metadata.annotations = {
    ...metadata.annotations,
    [templateGenerationAnnotation]: `${generation}`,
  };
}

const unreadable = (text: string, why: string) =>
  badRequest(
    `DaemonSet in version "v1" cannot be handled as a DaemonSet: strconv.ParseInt: parsing ${quote(text)}: ${why}`,
  );
