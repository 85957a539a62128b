import type { CSIDriver } from "../../../../../api/storage/v1/csi-driver.ts";
import type { Clock, Timer } from "../../../../../base/clock.ts";
import type { Log } from "../../../../../base/log.ts";
import { repeat } from "../../../../../base/repeat.ts";
import type { Informer } from "../../../../../client/informer/informer-options.ts";
import type { CsiDrivers } from "./csi-drivers.ts";
import { readNodeInfo } from "./driver-node-info.ts";
import type { NodeInfo } from "./node-info.ts";

export interface AllocatableUpdatesOptions {
  readonly drivers: CsiDrivers;
  readonly driverObjects: Informer<CSIDriver>;
  readonly nodeInfo: NodeInfo;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Writes again how many volumes the node can use, as often as the objects of drivers say; returns how to end it.
 */
export function updateAllocatable(options: AllocatableUpdatesOptions): () => void {
  const { drivers, driverObjects, nodeInfo, clock, log } = options;
  const timers = new Map<string, Timer>();
  const update = async (name: string): Promise<void> => {
    const client = drivers.find(name);
    if (client) await nodeInfo.update(name, await readNodeInfo(client));
  };
  const restart = (name: string): void => {
    timers.get(name)?.cancel();
    timers.delete(name);
    const period = periodOf(driverObjects.get({ name }));
    if (!drivers.find(name) || period === 0) return;
    const again = (): void =>
      void update(name).catch((error: unknown) =>
        log.warn("updating what a CSI driver says of the node failed", { name, error }),
      );
    timers.set(name, repeat(clock, period * 1000, again));
  };
  const changed = ({ metadata: { name = "" } }: CSIDriver): void => restart(name);
  const registration = driverObjects.addHandler({
    added: changed,
    updated(object, old) {
      if (periodOf(object) !== periodOf(old)) changed(object);
    },
    deleted: changed,
  });
  const unfollow = drivers.onChange(restart);
  return () => {
    registration.remove();
    unfollow();
    for (const timer of timers.values()) timer.cancel();
  };
}

const periodOf = (driver: CSIDriver | undefined): number =>
  driver?.spec.nodeAllocatableUpdatePeriodSeconds ?? 0;
