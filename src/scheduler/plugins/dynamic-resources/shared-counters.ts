import type { Device } from "../../../api/resource/v1/resource-slice-spec.ts";
import {
  compareQuantities,
  parseQuantity,
  type Quantity,
} from "../../../schema/values/quantity.ts";
import type { AllocatedDevices } from "./allocated-devices.ts";
import { changeAmounts } from "./consumed-capacity.ts";
import { type DevicePool, deviceId } from "./device-pools.ts";

/** What is left of the counters that the devices of a pool share, while devices are chosen. */
export class SharedCounters {
  /** The amounts by `SET/COUNTER`. */
  readonly #left = new Map<string, Quantity>();

  constructor(pool: DevicePool, allocated: AllocatedDevices) {
    for (const [set, { counters = {} }] of pool.counterSets)
      for (const [name, { value }] of Object.entries(counters))
        this.#left.set(`${set}/${name}`, parseQuantity(value));
    for (const device of [...pool.devices.map((one) => one.device), ...pool.elsewhere]) {
      const id = deviceId(pool.driver, pool.name, device.name);
      if (allocated.isTaken(id) || allocated.sharedAmounts(id) !== undefined)
        changeAmounts(this.#left, amountsOf(device), -1);
    }
  }

  /** Takes what a device needs; returns false and changes nothing if not that much is left. */
  take(device: Device): boolean {
    const amounts = amountsOf(device);
    changeAmounts(this.#left, amounts, -1);
    // Devices that others have allocated may have taken too much already, from any counter.
    const isEnough = [...this.#left.values()].every((left) => compareQuantities(left, zero) >= 0);
    if (!isEnough) changeAmounts(this.#left, amounts, 1);
    return isEnough;
  }

  giveBack(device: Device): void {
    changeAmounts(this.#left, amountsOf(device), 1);
  }
}

const zero = parseQuantity("0");

const amountsOf = ({ consumesCounters = [] }: Device): ReadonlyMap<string, Quantity> =>
  new Map(
    consumesCounters.flatMap(({ counterSet, counters = {} }) =>
      Object.entries(counters).map(
        ([name, { value }]) => [`${counterSet}/${name}`, parseQuantity(value)] as const,
      ),
    ),
  );
