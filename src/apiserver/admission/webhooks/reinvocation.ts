import { copyJson, sameJson } from "../../../schema/json/json-value.ts";
import type { ObjectDraft } from "../../objects/object.ts";
import type { ReadyWebhook } from "./ready-webhook.ts";

/**
 * The webhooks to call again in the second run, of those that ask for that: what was changed after them is new to
 * them. After calls of a, b and c, of which b changed the object, it is a; c is new to the change.
 */
export class Reinvocation {
  /** Called since the object changed last. */
  #called = new Set<string>();
  readonly #needed = new Set<string>();
  /** The object at the end of the first run; undefined if no webhook wants to be called again. */
  #result: unknown;

  /** At the beginning of the second run: another plugin may have changed the object since the first one. */
  begin(object: ObjectDraft): void {
    if (this.#result !== undefined && !sameJson(this.#result, object)) this.changed();
  }

  called({ id, webhook }: ReadyWebhook): void {
    if (webhook.reinvocationPolicy === "IfNeeded") this.#called.add(id);
  }

  /** The object has changed: what was called before is to be called again. */
  changed(): void {
    for (const id of this.#called) this.#needed.add(id);
    this.#called = new Set();
  }

  isNeeded({ id }: ReadyWebhook): boolean {
    return this.#needed.has(id);
  }

  /** At the end of a run. */
  end(object: ObjectDraft): void {
    this.#result = this.#called.size > 0 ? copyJson(object) : undefined;
  }
}
