import type { DeviceTaint } from "./device-taint.ts";

/** A rule that gives devices a taint, in any version. */
export interface TaintingRule {
  readonly spec: {
    readonly deviceSelector?:
      | {
          readonly driver?: string | undefined;
          readonly pool?: string | undefined;
          readonly device?: string | undefined;
        }
      | undefined;
    readonly taint: DeviceTaint;
  };
}

export interface NamedDevice {
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
}

/** Whether a rule selects a device; one without a selector selects none. */
export function ruleSelects(
  { spec: { deviceSelector } }: TaintingRule,
  { driver, pool, device }: NamedDevice,
): boolean {
  if (!deviceSelector) return false;
  const is = (wanted: string | undefined, name: string) => wanted === undefined || wanted === name;
  return (
    is(deviceSelector.driver, driver) &&
    is(deviceSelector.pool, pool) &&
    is(deviceSelector.device, device)
  );
}
