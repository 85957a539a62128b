/** What a driver says of the health of a device. */
export interface ReportedHealth {
  readonly pool: string;
  readonly device: string;
  readonly health: Health;
  /** After so many milliseconds without another report nothing is known of it. */
  readonly timeoutMs: number;
  readonly message: string;
}

export type Health = "Healthy" | "Unhealthy" | "Unknown";

interface KnownHealth extends ReportedHealth {
  /** When it was reported. */
  readonly at: number;
}

/** The health of the devices of drivers that report it. */
export class DeviceHealths {
  readonly #drivers = new Map<string, Map<string, KnownHealth>>();

  of(driver: string, device: DeviceName, now: number): Pick<ReportedHealth, "health" | "message"> {
    const known = this.#drivers.get(driver)?.get(keyOf(device));
    return known && !isOver(known, now) ? known : { health: "Unknown", message: "" };
  }

  /** Takes a report; returns the devices of which it says something new, or which it says nothing of for too long. */
  report(driver: string, reports: readonly ReportedHealth[], now: number): readonly DeviceName[] {
    const devices = this.#drivers.get(driver) ?? new Map<string, KnownHealth>();
    this.#drivers.set(driver, devices);
    const changed: DeviceName[] = [];
    const reported = new Set(reports.map(keyOf));
    for (const report of reports) {
      const key = keyOf(report);
      if (!isSame(devices.get(key), report)) changed.push(report);
      devices.set(key, { ...report, at: now });
    }
    for (const [key, known] of devices) {
      if (reported.has(key) || known.health === "Unknown" || !isOver(known, now)) continue;
      devices.set(key, { ...known, health: "Unknown", message: "", at: now });
      changed.push(known);
    }
    return changed;
  }

  /** The driver reports no longer; returns its devices. */
  clear(driver: string): readonly DeviceName[] {
    const devices = this.#drivers.get(driver);
    this.#drivers.delete(driver);
    return [...(devices?.values() ?? [])];
  }

  /** The text of a file, as upstream's kubelets write it. */
  encode(): string {
    const drivers = Array.from(this.#drivers, ([driver, devices]) => [
      driver,
      { Devices: Object.fromEntries(Array.from(devices, ([key, one]) => [key, stored(one)])) },
    ]);
    return JSON.stringify(Object.fromEntries(drivers));
  }

  /** Continues with what an earlier kubelet has stored. Throws if it is damaged. */
  restore(text: string): void {
    const drivers = JSON.parse(text) as Readonly<Record<string, StoredDriver>>;
    for (const [driver, { Devices }] of Object.entries(drivers))
      this.#drivers.set(
        driver,
        new Map(Object.entries(Devices ?? {}).map(([key, one]) => [key, known(one)])),
      );
  }
}

export interface DeviceName {
  readonly pool: string;
  readonly device: string;
}

interface StoredDriver {
  readonly Devices: Readonly<Record<string, StoredHealth>> | null;
}

interface StoredHealth {
  readonly PoolName: string;
  readonly DeviceName: string;
  readonly Health: Health;
  readonly LastUpdated: string;
  /** In nanoseconds. */
  readonly HealthCheckTimeout: number;
  readonly Message: string;
}

const stored = (one: KnownHealth): StoredHealth => ({
  PoolName: one.pool,
  DeviceName: one.device,
  Health: one.health,
  LastUpdated: new Date(one.at).toISOString(),
  HealthCheckTimeout: one.timeoutMs * 1_000_000,
  Message: one.message,
});

const known = (one: StoredHealth): KnownHealth => ({
  pool: one.PoolName,
  device: one.DeviceName,
  health: one.Health,
  at: Date.parse(one.LastUpdated),
  timeoutMs: one.HealthCheckTimeout / 1_000_000 || defaultTimeoutMs,
  message: one.Message ?? "",
});

/** How long a report counts if the driver does not say it. */
export const defaultTimeoutMs = 30_000;

const keyOf = ({ pool, device }: DeviceName): string => `${pool}/${device}`;

const isOver = ({ at, timeoutMs }: KnownHealth, now: number): boolean => now - at > timeoutMs;

const isSame = (a: ReportedHealth | undefined, b: ReportedHealth): boolean =>
  a?.health === b.health && a.message === b.message && a.timeoutMs === b.timeoutMs;
