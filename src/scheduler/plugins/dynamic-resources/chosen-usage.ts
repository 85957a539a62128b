import type { Quantity } from "../../../schema/values/quantity.ts";
import type { AllocatedDevices } from "./allocated-devices.ts";
import { type Amounts, changeAmounts } from "./consumed-capacity.ts";
import type { Candidate, DevicePool } from "./device-pools.ts";
import { SharedCounters } from "./shared-counters.ts";

/** Takes something back. */
export type Undo = () => void;

/** What the devices use that a search has chosen so far, beside those that claims have already. */
export class ChosenUsage {
  readonly #allocated: AllocatedDevices;
  /** The claims for which a device has been chosen. */
  readonly #users = new Map<string, Set<object>>();
  readonly #shared = new Map<string, { shares: number; readonly amounts: Map<string, Quantity> }>();
  readonly #counters = new Map<DevicePool, SharedCounters>();

  constructor(allocated: AllocatedDevices) {
    this.#allocated = allocated;
  }

  /** Whether a device can be had; an administrator can use it beside others, but not twice for a claim. */
  isFree({ id }: Candidate, claim: object, isAdmin: boolean): boolean {
    const users = this.#users.get(id);
    if (isAdmin) return !users?.has(claim);
    return !this.#allocated.isTaken(id) && (users?.size ?? 0) === 0;
  }

  /** How much of a device's capacity is taken. */
  taken({ id }: Candidate): readonly (Amounts | undefined)[] {
    return [this.#allocated.sharedAmounts(id), this.#shared.get(id)?.amounts];
  }

  /** Takes the counters of a device; returns undefined if they are not enough. */
  takeCounters({ device, pool, id }: Candidate): Undo | undefined {
    const { consumesCounters = [], allowMultipleAllocations } = device;
    const isShared = this.#shared.has(id) || this.#allocated.sharedAmounts(id) !== undefined;
    // The counters of a device that is shared are taken once.
    if (consumesCounters.length === 0 || (allowMultipleAllocations && isShared)) return () => {};
    const counters = this.#counters.get(pool) ?? new SharedCounters(pool, this.#allocated);
    this.#counters.set(pool, counters);
    return counters.take(device) ? () => counters.giveBack(device) : undefined;
  }

  /** Takes a device for a claim alone. */
  use({ id }: Candidate, claim: object): Undo {
    const users = this.#users.get(id) ?? new Set();
    this.#users.set(id, users.add(claim));
    return () => void users.delete(claim);
  }

  /** Takes a share of a device. */
  share({ id }: Candidate, consumed: Amounts): Undo {
    const known = this.#shared.get(id) ?? { shares: 0, amounts: new Map<string, Quantity>() };
    this.#shared.set(id, known);
    known.shares++;
    changeAmounts(known.amounts, consumed, 1);
    return () => {
      known.shares--;
      changeAmounts(known.amounts, consumed, -1);
      if (known.shares === 0) this.#shared.delete(id);
    };
  }
}
