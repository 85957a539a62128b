import type { Flag } from "../../../../cli/flag.ts";
import type { ControllerSettings } from "../../../../controllers/controller-settings.ts";
import { type ServerFlag, withoutEffect } from "../../../flags/server-flag.ts";

/** A flag of the controller manager: what it sets, and where `/configz` shows it. */
export interface ControllerFlag<T = unknown> extends ServerFlag<T> {
  /** The setting of controllers that it is. */
  readonly setting?: keyof ControllerSettings;
  /** The path of its field in KubeControllerManagerConfiguration. */
  readonly field?: string;
}

/** A flag with a place in the configuration that is shown. */
export const shownAt = <T>(field: string, flag: Flag<T>): ControllerFlag<T> => ({ ...flag, field });

/** A flag that controllers are told. */
export const told = <K extends keyof ControllerSettings>(
  setting: K,
  field: string,
  flag: Flag<ControllerSettings[K]>,
): ControllerFlag<ControllerSettings[K]> => ({ ...flag, setting, field });

/** A flag of a controller that is not there yet. */
export const absent = <T>(
  controller: string,
  field: string | undefined,
  flag: Flag<T>,
): ControllerFlag<T> => ({
  ...withoutEffect(`${controller} is not part of this version`, flag),
  ...(field !== undefined && { field }),
});

/** What controllers are told by the values of flags. */
export function settingsBy(
  flags: Readonly<Record<string, ControllerFlag>>,
  values: Readonly<Record<string, unknown>>,
): Partial<ControllerSettings> {
  const told = Object.entries(flags).flatMap(([name, { setting }]) =>
    setting === undefined ? [] : [[setting, values[name]] as const],
  );
  return Object.fromEntries(told) as Partial<ControllerSettings>;
}
