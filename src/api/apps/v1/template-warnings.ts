import { isDns1123Label } from "../../../schema/names.ts";
import { At } from "../../../schema/report.ts";
import type { PodTemplateSpec } from "../../core/v1/pod-template.ts";
import { podTemplateWarnings } from "../../core/v1/pod-warnings.ts";
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
  const faults = old ? [] : isDns1123Label(object.metadata.name ?? "");
  const name =
    faults.length > 0
      ? [
          `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${faults.join(" ")}]`,
        ]
      : [];
  return [...name, ...podTemplateWarnings(object.spec.template, templatePlace)];
}

const templatePlace = At.root().child("spec").child("template");
