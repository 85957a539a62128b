/** A value of a setting. */
type SettingValue = number | boolean | string;

/** A setting of a controller: a flag of kube-controller-manager, and the default that it has there. */
export interface ControllerSetting<T extends SettingValue = SettingValue> {
  /** Durations are milliseconds. */
  readonly type: "int" | "float" | "duration" | "bool" | "string";
  /** The name of the flag: `concurrent-deployment-syncs`. */
  readonly flag: string;
  /** Where `/configz` shows it, unless it is ours: `DeploymentController.ConcurrentDeploymentSyncs`. */
  readonly field?: string;
  readonly usage: string;
  readonly default: T;
  /** The values that are valid, both included; any if not given. */
  readonly range?: readonly [min: number, max: number] | undefined;
  /** The heading of the flag in help, where it is not that of the controller: `Generic`. */
  readonly section?: string | undefined;
}

export type ControllerSettings = Readonly<Record<string, ControllerSetting>>;

/** The values of settings. */
export type SettingValues<S extends ControllerSettings> = {
  readonly [K in keyof S]: S[K] extends ControllerSetting<infer T> ? T : never;
};

type Declared<T extends SettingValue> = Omit<ControllerSetting<T>, "type">;

export const intSetting = (setting: Declared<number>): ControllerSetting<number> => ({
  ...setting,
  type: "int",
});

export const floatSetting = (setting: Declared<number>): ControllerSetting<number> => ({
  ...setting,
  type: "float",
});

export const durationSetting = (setting: Declared<number>): ControllerSetting<number> => ({
  ...setting,
  type: "duration",
});

export const boolSetting = (setting: Declared<boolean>): ControllerSetting<boolean> => ({
  ...setting,
  type: "bool",
});

export const stringSetting = (setting: Declared<string>): ControllerSetting<string> => ({
  ...setting,
  type: "string",
});

/** The values of settings: those given by the names of flags, and defaults. */
export function settingValues<S extends ControllerSettings>(
  settings: S,
  given: Readonly<Record<string, unknown>> = {},
): SettingValues<S> {
  const values = Object.entries(settings).map(([key, setting]) => [
    key,
    given[setting.flag] ?? setting.default,
  ]);
  return Object.fromEntries(values) as SettingValues<S>;
}
