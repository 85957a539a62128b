import type { Deployment } from "../../api/apps/v1/deployment.ts";
import { PodTemplateSpec } from "../../api/core/v1/pod-template.ts";
import { suffixAlphabet } from "../../base/entropy.ts";
import { sameMeaning } from "../../schema/same-meaning.ts";

/** The label that tells pods of a deployment's templates from one another. */
export const hashLabel = "pod-template-hash";

/** Whether two templates are the same but for their hash. */
export const sameTemplate = (a: PodTemplateSpec, b: PodTemplateSpec): boolean =>
  sameMeaning(PodTemplateSpec, withoutHash(a), withoutHash(b));

/** A template as its deployment has it. */
export function withoutHash(template: PodTemplateSpec): PodTemplateSpec {
  const { labels } = template.metadata;
  if (!labels || !Object.hasOwn(labels, hashLabel)) return template;
  const { [hashLabel]: _, ...rest } = labels;
  return { ...template, metadata: { ...template.metadata, labels: rest } };
}

/**
 * A short text that differs for different templates. Should it not, the deployment counts that up, and
 * has another.
 */
export function templateHash({ spec, status }: Pick<Deployment, "spec" | "status">): string {
  const { collisionCount } = status;
  const text = canonical(spec.template);
  const hash = fnv32a(collisionCount === undefined ? text : `${text}${collisionCount}`);
  return Array.from(String(hash), (digit) =>
    suffixAlphabet.charAt(digit.charCodeAt(0) % suffixAlphabet.length),
  ).join("");
}

/** JSON with members in order and without empty ones, so that equal templates have equal texts. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) => {
    if (typeof member === "bigint") return String(member);
    if (typeof member !== "object" || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(
      Object.entries(member)
        .filter(([, one]) => one !== null && !(Array.isArray(one) && one.length === 0))
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  });

/** The hash of Fowler, Noll and Vo in 32 bits. */
function fnv32a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}
