import type { RequestContext } from "../../objects/request-context.ts";
import { annotate } from "../annotate.ts";

const longestValue = 10 * 1024;
const encoder = new TextEncoder();

/** The annotations of one policy, of which several bindings may give different values to a key. */
export class PolicyAnnotations {
  readonly #values = new Map<string, Set<string>>();

  add(key: string, value: string): void {
    const values = this.#values.get(key) ?? new Set();
    this.#values.set(key, values.add(truncated(value)));
  }

  publish(context: RequestContext, policy: string): void {
    for (const [key, values] of this.#values)
      annotate(context, `${policy}/${key}`, [...values].join(", "));
  }
}

/** So many bytes of a value, at most. */
function truncated(value: string): string {
  const bytes = encoder.encode(value);
  return bytes.length <= longestValue
    ? value
    : new TextDecoder().decode(bytes.subarray(0, longestValue));
}
