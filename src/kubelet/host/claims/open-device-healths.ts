import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import { DeviceHealths, type DeviceName } from "../../claims/device-health.ts";
import type { NodeClaims } from "../../claims/node-claim.ts";
import { checkpointWriter } from "../checkpoint-writer.ts";
import type { HealthReceiver } from "./driver-connection.ts";

export interface DeviceHealthsOptions {
  /** The root folder of the kubelet. */
  readonly rootDir: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly claims: NodeClaims;
  /** Called for a pod that has a device whose health has changed. */
  readonly changed: (podUid: string) => void;
}

/** Opens what is known of the health of devices. A later kubelet continues with it. */
export async function openDeviceHealths(options: DeviceHealthsOptions): Promise<{
  readonly known: DeviceHealths;
  /** Takes what a driver tells of its devices. */
  readonly receiverOf: (driver: string) => HealthReceiver;
}> {
  const { rootDir, clock, log, claims } = options;
  const path = join(rootDir, "dra_health_state");
  const healths = new DeviceHealths();
  const stored = await readFile(path, "utf8").catch(() => undefined);
  try {
    if (stored !== undefined) healths.restore(stored);
  } catch (error) {
    log.error("reading the health of devices failed", error, { path });
  }
  const write = checkpointWriter(path, stored);
  const tell = (driver: string, devices: readonly DeviceName[]): void => {
    if (devices.length === 0) return;
    write(healths.encode()).catch((error: unknown) =>
      log.error("storing the health of devices failed", error, { path }),
    );
    for (const podUid of podsWith(driver, devices, claims)) options.changed(podUid);
  };
  return {
    known: healths,
    receiverOf: (driver) => ({
      report: (devices) => tell(driver, healths.report(driver, devices, clock.now())),
      ended: () => tell(driver, healths.clear(driver)),
    }),
  };
}

/** The pods that have one of these devices. */
function podsWith(
  driver: string,
  devices: readonly DeviceName[],
  claims: NodeClaims,
): ReadonlySet<string> {
  const isOne = ({ pool, device }: DeviceName): boolean =>
    devices.some((one) => one.pool === pool && one.device === device);
  const affected = claims.all().filter(({ drivers }) => drivers.get(driver)?.some(isOne));
  return new Set(affected.flatMap(({ podUids }) => [...podUids]));
}
