import type { EndpointSlice } from "../../api/discovery/v1/endpoint-slice.ts";
import { formatKey, type ObjectKey } from "../../client/resource-kind.ts";
import { serviceOf } from "./managed-slices.ts";

/**
 * Distinguishes changes of slices by other clients from own writes. While slices of a service are being
 * written, events may arrive before the responses, so they are compared after the last write.
 */
export class OwnSlices {
  /** The last written generation of slices by uid; `gone` for deleted ones. */
  readonly #left = new Map<string, number | "gone">();
  /** The events of slices of a service while they are being written. */
  readonly #meanwhile = new Map<string, SeenSlice[]>();

  begin(service: ObjectKey): void {
    this.#meanwhile.set(formatKey(service), []);
  }

  /** Ends the writes of a service; returns whether another client changed a slice meanwhile. */
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

  /** Whether the state of a slice is not the result of an own write. */
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
