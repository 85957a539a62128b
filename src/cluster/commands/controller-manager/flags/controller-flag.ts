import {
  boolFlag,
  durationFlag,
  type Flag,
  floatFlag,
  intFlag,
  stringFlag,
} from "../../../../cli/flag.ts";
import { controllerModules } from "../../../../controllers/controller-modules.generated.ts";
import type { ControllerSetting } from "../../../../controllers/controller-setting.ts";
import { type ServerFlag, withoutEffect } from "../../../flags/server-flag.ts";

/** A flag of the controller manager, and where `/configz` shows it. */
export interface ControllerFlag<T = unknown> extends ServerFlag<T> {
  /** The path of its field in KubeControllerManagerConfiguration. */
  readonly field?: string;
  /** The values that are valid, both included. */
  readonly range?: readonly [min: number, max: number];
}

/** A flag with a field in the configuration that `/configz` shows. */
export const shownAt = <T>(field: string, flag: Flag<T>): ControllerFlag<T> => ({ ...flag, field });

/** A flag of a controller that is not implemented yet. */
export const absent = <T>(
  controller: string,
  field: string | undefined,
  flag: Flag<T>,
): ControllerFlag<T> => ({
  ...withoutEffect(`${controller} is not part of this version`, flag),
  ...(field !== undefined && { field }),
});

/** A flag that has no effect, for a reason. */
export const unused = <T>(because: string, field: string, flag: Flag<T>): ControllerFlag<T> => ({
  ...withoutEffect(because, flag),
  field,
});

/** The flags that controllers declare as their settings, each under the heading of its controller. */
export function controllerFlags(): Readonly<Record<string, ControllerFlag>> {
  const flags = controllerModules.flatMap(({ name, settings }) =>
    Object.values(settings).map((setting) => [setting.flag, flagOf(setting, name)] as const),
  );
  return Object.fromEntries(flags);
}

function flagOf(setting: ControllerSetting, controller: string): ControllerFlag {
  const { type, usage, field, range, section = capitalized(controller) } = setting;
  const value = Number(setting.default);
  const flags = {
    int: () => intFlag({ usage, default: value }),
    float: () => floatFlag({ usage, default: value }),
    duration: () => durationFlag({ usage, default: value }),
    bool: () => boolFlag({ usage, default: Boolean(setting.default) }),
    string: () => stringFlag({ usage, default: String(setting.default) }),
  };
  return {
    ...(flags[type]() as Flag),
    ...(field !== undefined && { field }),
    section: `${section} flags`,
    ...(range && { range }),
  };
}

const capitalized = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
