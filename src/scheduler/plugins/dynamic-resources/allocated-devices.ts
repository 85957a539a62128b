import type { AllocationResult } from "../../../api/resource/v1/resource-claim-status.ts";
import { parseQuantity, type Quantity } from "../../../schema/values/quantity.ts";
import { type Amounts, changeAmounts } from "./consumed-capacity.ts";
import { deviceId } from "./device-pools.ts";

/** The devices that claims have, each claim by its uid. */
export class AllocatedDevices {
  readonly #byClaim = new Map<string, AllocationResult>();
  /** How many claims have a device for themselves: more than one only if somebody else wrote it. */
  readonly #dedicated = new Map<string, number>();
  /** The shares of devices that several claims have. */
  readonly #shared = new Map<string, { shares: number; readonly amounts: Map<string, Quantity> }>();

  /** Replaces what a claim has. */
  set(uid: string, allocation: AllocationResult | undefined): void {
    const old = this.#byClaim.get(uid);
    if (old === allocation) return;
    if (old) this.#change(old, -1);
    if (allocation) {
      this.#byClaim.set(uid, allocation);
      this.#change(allocation, 1);
    } else this.#byClaim.delete(uid);
  }

  /** Whether a claim has a device for itself. */
  isTaken(id: string): boolean {
    return this.#dedicated.has(id);
  }

  /** How much of a device that is shared is taken; undefined if no claim has a share. */
  sharedAmounts(id: string): Amounts | undefined {
    return this.#shared.get(id)?.amounts;
  }

  #change({ devices }: AllocationResult, sign: 1 | -1): void {
    for (const result of devices.results ?? []) {
      // Administrators use devices beside their owners.
      if (result.adminAccess) continue;
      const id = deviceId(result.driver, result.pool, result.device);
      if (result.shareID !== undefined) this.#share(id, result.consumedCapacity ?? {}, sign);
      else count(this.#dedicated, id, sign);
    }
  }

  #share(id: string, consumed: Readonly<Record<string, string>>, sign: 1 | -1): void {
    const known = this.#shared.get(id) ?? { shares: 0, amounts: new Map() };
    known.shares += sign;
    const amounts = Object.entries(consumed).map(
      ([name, amount]) => [name, parseQuantity(amount)] as const,
    );
    changeAmounts(known.amounts, new Map(amounts), sign);
    if (known.shares > 0) this.#shared.set(id, known);
    else this.#shared.delete(id);
  }
}

function count(counts: Map<string, number>, key: string, by: 1 | -1): void {
  const left = (counts.get(key) ?? 0) + by;
  if (left > 0) counts.set(key, left);
  else counts.delete(key);
}
