import { formatKey, type ObjectKey, parseKey } from "../../client/resource-kind.ts";
import type { AddressType } from "./endpoint-groups.ts";
import { isOverloaded, type ZoneRatios } from "./zone-capacity.ts";

type Hints = ReadonlyMap<string, number>;

/** Remembers how many endpoints of services each zone has, to detect when they must be redistributed. */
export class GivenHints {
  readonly #byService = new Map<string, Map<AddressType, Hints>>();
  /** Services that have hints in any address family. */
  readonly #hinted = new Set<string>();

  get isEmpty(): boolean {
    return this.#byService.size === 0;
  }

  has(service: ObjectKey): boolean {
    return this.#hinted.has(formatKey(service));
  }

  set(service: ObjectKey, type: AddressType, hints: Hints): void {
    const text = formatKey(service);
    const families = this.#byService.get(text) ?? new Map<AddressType, Hints>();
    families.set(type, hints);
    this.#byService.set(text, families);
    this.#hinted.add(text);
  }

  remove(service: ObjectKey, type: AddressType): void {
    const text = formatKey(service);
    const families = this.#byService.get(text);
    families?.delete(type);
    if (families?.size === 0) this.#byService.delete(text);
    this.#hinted.delete(text);
  }

  forget(service: ObjectKey): void {
    this.#byService.delete(formatKey(service));
    this.#hinted.delete(formatKey(service));
  }

  /** Services with a zone that has too few endpoints for its current CPU capacity. */
  overloaded(ratios: ZoneRatios | undefined): readonly ObjectKey[] {
    return [...this.#byService]
      .filter(([, families]) => [...families.values()].some((hints) => isOverloaded(hints, ratios)))
      .map(([text]) => parseKey(text));
  }
}
