import { copyJson, sameJson } from "../../../schema/json/json-value.ts";
import type { ObjectDraft } from "../../objects/object.ts";

/** A webhook, or a policy with a binding and a parameter. */
export interface Reinvocable {
  /** Unlike all others, and the same in both runs. */
  readonly id: string;
  readonly reinvocationPolicy?: string | undefined;
}

/**
 * What to call again in the second run, of what asks for that: what was changed after it is new to it. After calls of
 * a, b and c, of which b changed the object, it is a; c knows the change.
 */
export class Reinvocation {
  /** Called since the object changed last. */
  #called = new Set<string>();
  readonly #needed = new Set<string>();
  /** The object at the end of the first run; undefined if nothing wants to be called again. */
  #result: unknown;

  /** At the beginning of the second run: another plugin may have changed the object since the first one. */
  begin(object: ObjectDraft): void {
    if (this.#result !== undefined && !sameJson(this.#result, object)) this.changed();
  }

  called({ id, reinvocationPolicy }: Reinvocable): void {
    if (reinvocationPolicy === "IfNeeded") this.#called.add(id);
  }

  /** The object has changed: what was called before is to be called again. */
  changed(): void {
    for (const id of this.#called) this.#needed.add(id);
    this.#called = new Set();
  }

  isNeeded({ id }: Reinvocable): boolean {
    return this.#needed.has(id);
  }

  /** At the end of a run. */
  end(object: ObjectDraft): void {
    this.#result = this.#called.size > 0 ? copyJson(object) : undefined;
  }
}
