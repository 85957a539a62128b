import type { PodTemplateSpec } from "../../../../api/core/v1/pod/pod-template.ts";
import { unalignedText } from "../../../describe/description.ts";
import { podTemplateLines } from "../../../describe/pods/pod-template-lines.ts";
import { changeCauseAnnotation, type Revision } from "./revisions.ts";

/** The pod template of a revision in words. */
export const templateText = ({ template }: Revision): string =>
  unalignedText((d) => podTemplateLines(d, template as unknown as PodTemplateSpec));

/** The same; that of a replica set has the cause of the change among its annotations. */
export function revisionText(revision: Revision): string {
  const { changeCause, record, template } = revision;
  if (record !== undefined || changeCause === "") return templateText(revision);
  const { metadata } = template;
  const annotations = { ...metadata?.annotations, [changeCauseAnnotation]: changeCause };
  return templateText({
    ...revision,
    template: { ...template, metadata: { ...metadata, annotations } },
  });
}
