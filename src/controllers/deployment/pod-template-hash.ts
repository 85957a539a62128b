import type { Deployment } from "../../api/apps/v1/deployment.ts";
import { PodTemplateSpec } from "../../api/core/v1/pod/pod-template.ts";
import { goDump } from "../../api/meta/v1/go-dump.ts";
import { semanticEqual } from "../../api/meta/v1/semantic-equal.ts";
import { suffixAlphabet } from "../../base/entropy.ts";
import { fnv32a } from "../../base/hashes/fnv32a.ts";

/** The label that distinguishes the pods of a deployment by their template. */
export const hashLabel = "pod-template-hash";

/** Whether two templates are equal apart from their hash label. */
export const sameTemplate = (a: PodTemplateSpec, b: PodTemplateSpec): boolean =>
  semanticEqual(PodTemplateSpec, withoutHash(a), withoutHash(b));

/** A template without its hash label, as its deployment has it. */
export function withoutHash(template: PodTemplateSpec): PodTemplateSpec {
  const { labels } = template.metadata;
  if (!labels || !Object.hasOwn(labels, hashLabel)) return template;
  const { [hashLabel]: _, ...rest } = labels;
  return { ...template, metadata: { ...template.metadata, labels: rest } };
}

/** An object whose pods are distinguished by the hash of their template. */
interface Templated {
  readonly spec: Pick<Deployment["spec"], "template">;
  readonly status: Pick<Deployment["status"], "collisionCount">;
}

/**
 * The hash of the pod template of a deployment or a daemon set, equal to upstream's. After a collision, the
 * owner counts up `collisionCount`, which changes the hash.
 */
export function templateHash({ spec, status }: Templated): string {
  const { collisionCount } = status;
  const text = new TextEncoder().encode(goDump(PodTemplateSpec, spec.template));
  const count = collisionCount === undefined ? [] : littleEndian(collisionCount);
  return hashText(fnv32a([...text, ...count]));
}

/** A hash as the end of a name: digits, written with letters that form no words. */
export const hashText = (hash: number): string =>
  Array.from(String(hash), (digit) =>
    suffixAlphabet.charAt(digit.charCodeAt(0) % suffixAlphabet.length),
  ).join("");

/** A number of 32 bits in eight bytes, little-endian. */
function littleEndian(count: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setUint32(0, count, true);
  return bytes;
}
