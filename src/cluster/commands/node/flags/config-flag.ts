import {
  boolFlag,
  durationFlag,
  type Flag,
  intFlag,
  stringFlag,
  stringsFlag,
} from "../../../../cli/flag.ts";
import { legacyKubeletConfiguration } from "../../../../kubelet/config/default-kubelet-configuration.ts";
import { KubeletConfiguration } from "../../../../kubelet/config/kubelet-configuration.ts";
import { isMap, type JsonMap } from "../../../../schema/json/json-value.ts";
import type { Field } from "../../../../schema/language/field.ts";
import { structOf } from "../../../../schema/language/type.ts";
import { formatDuration, parseDuration } from "../../../../schema/values/duration.ts";
import { quote } from "../../../../schema/values/quote.ts";

/** A flag that sets a field of KubeletConfiguration. */
export interface ConfigFlag extends Flag {
  /** The path of the field: `authentication.webhook.enabled`. */
  readonly field: string;
}

/** How the values of a flag are written, where the type of its field does not tell. */
export type Notation = Pick<Flag, "type" | "read" | "format"> & Partial<Pick<Flag, "short">>;

const deprecated =
  "This parameter should be set via the config file specified by the Kubelet's --config flag. See https://kubernetes.io/docs/tasks/administer-cluster/kubelet-config-file/ for more information.";

/** A flag with the type, the default and the description of a field. It is deprecated, as all of them are. */
export const configFlag = (field: string, notation?: Notation): ConfigFlag => ({
  ...undeprecatedConfigFlag(field, notation),
  deprecated,
  hidden: false,
});

/** The same for the few flags that upstream wants to keep. */
export function undeprecatedConfigFlag(field: string, notation?: Notation): ConfigFlag {
  const { type, description } = fieldAt(field);
  const usage = description.replace(/\.$/, "").replace(/^[A-Z](?=[a-z ])/, (a) => a.toLowerCase());
  const value = valueAt(defaults, field);
  if (notation !== undefined) {
    const shownDefault = value ? (notation.format ?? String)(value) : "";
    return { ...notation, usage, default: value, shownDefault, field };
  }
  return { ...(flagOfType(type.code, usage, value) as Flag), field };
}

/** Sets a field in place to the value of its flag. */
export function setField(config: JsonMap, { field, type }: ConfigFlag, value: unknown): void {
  const path = field.split(".");
  const name = path.pop() ?? "";
  const owner = path.reduce<JsonMap>((held, part) => held[part] as JsonMap, config);
  owner[name] =
    type === "duration" ? formatDuration(BigInt(Math.round(Number(value) * 1e6))) : value;
}

/** The value of a field; undefined if it is absent. */
export function valueAt(config: object, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>((held, part) => (isMap(held) ? held[part] : undefined), config);
}

/** Defaults that depend on feature gates have no flag. */
const defaults = legacyKubeletConfiguration(() => ({ on: new Set(), problems: [] }));

function fieldAt(path: string): Field {
  let fields: Readonly<Record<string, Field>> = KubeletConfiguration.fields;
  let found: Field | undefined;
  for (const part of path.split(".")) {
    found = fields[part];
    if (found === undefined) throw new Error(`KubeletConfiguration has no field ${path}`);
    fields = structOf(found.type)?.fields ?? {};
  }
  return found as Field;
}

function flagOfType(code: string, usage: string, value: unknown): unknown {
  switch (code) {
    case "bool":
      return boolFlag({ usage, default: value === true });
    case "int32":
      return integerFlag(usage, Number(value ?? 0), 2 ** 31);
    case "int64":
      return integerFlag(usage, Number(value ?? 0), Number.MAX_SAFE_INTEGER);
    case "duration":
      return durationFlag({ usage, default: Number(parseDuration(String(value ?? "0s"))) / 1e6 });
    case "string":
      return stringFlag({ usage, default: String(value ?? "") });
    case "list":
      return stringsFlag({ usage, default: (value ?? []) as readonly string[] });
    default:
      throw new Error(`flags of type ${code} need a notation`);
  }
}

/** An integer of 32 bits, if the limit says so. */
function integerFlag(usage: string, value: number, limit: number): Flag<number> {
  const flag = intFlag({ usage, default: value });
  return {
    ...flag,
    read(text, before) {
      const read = flag.read(text, before);
      if (read >= limit || read < -limit)
        throw new Error(`strconv.ParseInt: parsing ${quote(text)}: value out of range`);
      return read;
    },
  };
}
