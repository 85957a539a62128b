import { At } from "../../../schema/language/report.ts";
import { isDns1123Label } from "../../../schema/values/names.ts";
import type { PodTemplateSpec } from "../../core/v1/pod/pod-template.ts";
import { podTemplateWarnings } from "../../core/v1/pod/validation/pod-warnings.ts";
import type { ObjectMeta } from "../../meta/v1/object-meta.ts";

interface WithTemplate {
  readonly metadata: ObjectMeta;
  readonly spec: { readonly template: PodTemplateSpec };
}

/** What to tell of a workload: its template, where that may have changed, and at creation its name. */
export function templateWarnings(
  object: WithTemplate,
  old: WithTemplate | undefined,
): readonly string[] {
  if (old && object.metadata.generation === old.metadata.generation) return [];
  const name = old ? [] : nameWarnings(object.metadata);
  return [...name, ...podTemplateWarnings(object.spec.template, templatePlace)];
}

/** What to tell of the name of what makes pods: theirs begin with it. */
export function nameWarnings({ name = "" }: ObjectMeta): readonly string[] {
  const faults = isDns1123Label(name);
  if (faults.length === 0) return [];
  return [
    `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${faults.join(" ")}]`,
  ];
}

const templatePlace = At.root().child("spec").child("template");
