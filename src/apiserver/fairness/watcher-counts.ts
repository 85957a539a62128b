import { requiredFieldValue } from "../../schema/selectors/field-selector.ts";
import type { Attributes } from "../authorization/attributes.ts";

/** Counts the watches that an event of an object is sent to: those of all, of its namespace, and of its name. */
export class WatcherCounts {
  readonly #counts = new Map<string, number>();

  /** Counts a watch; the returned function ends it. */
  begin(attributes: Attributes): () => void {
    if (isIndexed(attributes)) return () => {};
    const key = keyOf(attributes, attributes);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    return () => {
      const left = (this.#counts.get(key) ?? 1) - 1;
      if (left === 0) this.#counts.delete(key);
      else this.#counts.set(key, left);
    };
  }

  /** How many watches a write interests. */
  interestedIn(attributes: Attributes): number {
    const { namespace, name } = attributes;
    const places = [
      { namespace: "", name: "" },
      ...(namespace === "" ? [] : [{ namespace, name: "" }]),
      ...(name === "" ? [] : [{ namespace, name }]),
    ];
    let sum = 0;
    for (const place of places) sum += this.#counts.get(keyOf(attributes, place)) ?? 0;
    return sum;
  }
}

const keyOf = (
  { group, resource }: Pick<Attributes, "group" | "resource">,
  { namespace, name }: Pick<Attributes, "namespace" | "name">,
): string => `${group}/${resource}/${namespace}/${name}`;

/** Watches of the pods of one node: each gets few of the events. */
const isIndexed = ({ resource, fieldSelector }: Attributes): boolean =>
  resource === "pods" &&
  (requiredFieldValue(fieldSelector?.requirements ?? [], "spec.nodeName") ?? "") !== "";
