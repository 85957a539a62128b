import type { EndpointSlice } from "../../api/discovery/v1/endpoint-slice.ts";
import { formatKey, type ObjectKey } from "../../client/resource-kind.ts";
import { serviceOf } from "./managed-slices.ts";

/**
 * Tells what others do to slices from what was done here. While slices of a service are being written,
 * events may come before the answers to the writes, so they are looked at only when all is written.
 */
export class OwnSlices {
  /** The generation in which a slice was left, by its uid; `gone` where it was deleted. */
  readonly #left = new Map<string, number | "gone">();
  /** What was seen of the slices of a service while they are being written. */
  readonly #meanwhile = new Map<string, SeenSlice[]>();

  begin(service: ObjectKey): void {
    this.#meanwhile.set(formatKey(service), []);
  }

  /** All is written; whether somebody else has changed something meanwhile. */
  end(service: ObjectKey): boolean {
    const seen = this.#meanwhile.get(formatKey(service)) ?? [];
    this.#meanwhile.delete(formatKey(service));
    return seen.map((one) => this.#isNews(one)).some(Boolean);
  }

  wrote({ metadata: { uid = "", generation = 0 } }: EndpointSlice): void {
    this.#left.set(uid, generation);
  }

  deleted({ metadata: { uid = "" } }: EndpointSlice): void {
    this.#left.set(uid, "gone");
  }

  /** Whether it is a surprise that a slice is as it is, or is gone. */
  isNews(slice: EndpointSlice, isGone: boolean): boolean {
    const { uid = "", generation = 0 } = slice.metadata;
    const one = { uid, generation, isGone };
    const service = serviceOf(slice);
    const meanwhile = service && this.#meanwhile.get(formatKey(service));
    if (!meanwhile) return this.#isNews(one);
    meanwhile.push(one);
    return false;
  }

  #isNews({ uid, generation, isGone }: SeenSlice): boolean {
    const left = this.#left.get(uid);
    if (isGone) this.#left.delete(uid);
    if (isGone || left === "gone") return isGone && left !== "gone";
    return left === undefined || generation > left;
  }
}

interface SeenSlice {
  readonly uid: string;
  readonly generation: number;
  readonly isGone: boolean;
}
