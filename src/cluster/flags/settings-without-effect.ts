import { sameJson } from "../../schema/json/json-value.ts";

/** A setting of a configuration file that has no effect, unless it has a value that describes what happens anyway. */
export interface SettingWithoutEffect {
  readonly accepted: readonly unknown[];
  readonly because: string;
}

/** Warnings of settings that have no effect; they are named by their path. */
export const warningsOf = (
  table: Readonly<Record<string, SettingWithoutEffect>>,
  configuration: object,
): readonly string[] =>
  Object.entries(table).flatMap(([path, { accepted, because }]) => {
    const value = valueAt(configuration, path);
    const isAccepted = value === undefined || accepted.some((one) => sameJson(one, value));
    return isAccepted ? [] : [`${path} has no effect: ${because}`];
  });

const valueAt = (configuration: object, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>(
      (value, name) => (value as Readonly<Record<string, unknown>> | undefined)?.[name],
      configuration,
    );
