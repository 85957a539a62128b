import type { Column } from "../../../schema/language/kind.ts";
import { formatLabelSelector, labelSelector } from "../../../schema/selectors/label-selector.ts";
import type { PodTemplateSpec } from "../../core/v1/pod/pod-template.ts";
import type { LabelSelector } from "../../meta/v1/label-selector.ts";

interface WithTemplate {
  readonly spec: { readonly template: PodTemplateSpec };
}

/** Names of the template's containers; the object of a bookmark has none. */
export const containersColumn: Column<WithTemplate> = {
  name: "Containers",
  type: "string",
  wide: true,
  description: "Names of each container in the template.",
  cell: ({ spec }) => (spec.template.spec.containers ?? []).map(({ name }) => name).join(","),
};

/** Images of the template's containers. */
export const imagesColumn: Column<WithTemplate> = {
  name: "Images",
  type: "string",
  wide: true,
  description: "Images referenced by each container in the template.",
  cell: ({ spec }) =>
    (spec.template.spec.containers ?? []).map(({ image }) => image ?? "").join(","),
};

/** A selector as a cell shows it. */
export function selectorText(selector: LabelSelector | undefined): string {
  try {
    return formatLabelSelector(labelSelector(selector)) || "<none>";
  } catch {
    return "<error>";
  }
}
