import { decodeBase64, encodeBase64 } from "../../../../base/base64.ts";
import {
  entriesOf,
  type Kubeconfig,
  type Section,
  type SectionValues,
  sections,
  withEntries,
} from "../../../../kubeconfig/kubeconfig.ts";
import { quote } from "../../../../schema/values/quote.ts";
import { boolValue } from "../../shared/bool-value.ts";

/** What is set; nothing is for `unset`. */
export type NewValue = { readonly text: string; readonly isRaw: boolean } | undefined;

/** The kubeconfig with one value set or removed: `clusters.NAME.server`, `current-context`. */
export function changedValue(config: Kubeconfig, property: string, value: NewValue): Kubeconfig {
  const parts = property.split(".");
  const [first = ""] = parts;
  const rest = parts.slice(1);
  if (first in sections) return changedSection(config, first as Section, { property, rest, value });
  if (first === "preferences") return changedPreferences(config, { property, rest, value });
  if (first === "extensions" || first === "kind" || first === "apiVersion") {
    // The original changes them in memory, and does not write them.
    if (rest.length > 0) throw noField(property);
    return config;
  }
  if (first !== "current-context")
    throw new Error(`unable to parse ${property} after [] at api.Config`);
  if (rest.length > 0) throw noField(property);
  return { ...config, "current-context": value?.text ?? "" };
}

interface Change {
  readonly property: string;
  /** What follows the name of the section. */
  readonly rest: readonly string[];
  readonly value: NewValue;
}

const noField = (property: string): Error =>
  new Error(`unable to parse one or more field values of ${property}`);

function changedPreferences(config: Kubeconfig, { property, rest, value }: Change): Kubeconfig {
  const [field] = rest;
  const { preferences = {} } = config;
  if (field === undefined) {
    if (value === undefined) return { ...config, preferences: {} };
    throw new Error(
      'unable to locate path config.navigationStep{stepValue:"", stepType:reflect.Type(nil)} under {false map[]}',
    );
  }
  if (field !== "colors" && field !== "extensions")
    throw new Error(
      `unable to parse ${property} after [{preferences api.Preferences}] at api.Preferences`,
    );
  if (rest.length > 1 || (field === "extensions" && value)) throw noField(property);
  const { [field]: _, ...others } = preferences;
  return {
    ...config,
    preferences:
      field === "colors" && value ? { ...others, colors: parsedBool(value.text) } : others,
  };
}

type FieldType = "string" | "bytes" | "bool" | "strings" | "map" | "pointer";

/** The fields of the entries by the names that the original gives them in memory. */
const fields: Readonly<
  Record<Section, Readonly<Record<string, { readonly type: FieldType; readonly as?: string }>>>
> = {
  clusters: {
    server: { type: "string" },
    "tls-server-name": { type: "string" },
    "insecure-skip-tls-verify": { type: "bool" },
    "certificate-authority": { type: "string" },
    "certificate-authority-data": { type: "bytes" },
    "proxy-url": { type: "string" },
    "disable-compression": { type: "bool" },
    extensions: { type: "map" },
  },
  contexts: {
    cluster: { type: "string" },
    user: { type: "string" },
    namespace: { type: "string" },
    extensions: { type: "map" },
  },
  users: {
    "client-certificate": { type: "string" },
    "client-certificate-data": { type: "bytes" },
    "client-key": { type: "string" },
    "client-key-data": { type: "bytes" },
    token: { type: "string" },
    tokenFile: { type: "string" },
    "act-as": { type: "string", as: "as" },
    "act-as-uid": { type: "string", as: "as-uid" },
    "act-as-groups": { type: "strings", as: "as-groups" },
    "act-as-user-extra": { type: "map", as: "as-user-extra" },
    username: { type: "string" },
    password: { type: "string" },
    "auth-provider": { type: "pointer" },
    exec: { type: "pointer" },
    extensions: { type: "map" },
  },
};

function changedSection<S extends Section>(
  config: Kubeconfig,
  section: S,
  { property, rest, value }: Change,
): Kubeconfig {
  const entries = entriesOf(config, section);
  // The name of an entry may contain dots: it ends before the name of a field.
  const known = fields[section];
  const at = rest.findIndex((part, i) => i > 0 && Object.hasOwn(known, part));
  const name = (at < 0 ? rest : rest.slice(0, at)).join(".");
  if (at < 0 && value)
    throw new Error(`can't set a map to a value: map[${[...entries.keys()].join(" ")}]`);
  if (rest.length === 0) return { ...config, [section]: [] };
  if (at < 0) {
    entries.delete(name);
    return withEntries(config, section, entries);
  }
  const fieldName = rest[at] ?? "";
  const { type, as = fieldName } = known[fieldName] ?? { type: "string" };
  if (rest.length > at + 1) {
    if (as === "as-user-extra") throw new Error("string is not of type struct");
    throw noField(property);
  }
  const entry = entries.get(name);
  if (!entry && !value) throw new Error(`current map key \`${name}\` is invalid`);
  const { [as]: _, ...others } = (entry ?? {}) as Readonly<Record<string, unknown>>;
  const changed = value ? { ...others, [as]: parsedValue(type, value) } : others;
  return withEntries(config, section, entries.set(name, changed as SectionValues[S]));
}

function parsedValue(type: FieldType, { text, isRaw }: NonNullable<NewValue>): string | boolean {
  if (type === "string") return text;
  if (type === "bool") return parsedBool(text);
  if (type === "strings") throw new Error("unrecognized slice type. string");
  if (type === "map") throw new Error("can't set a map to a value: map[]");
  if (type === "pointer") throw new Error("unrecognized type: <nil>");
  if (isRaw) return Buffer.from(text).toString("base64");
  try {
    return encodeBase64(decodeBase64(text));
  } catch (cause) {
    throw new Error(`error decoding input value: ${(cause as Error).message}`, { cause });
  }
}

function parsedBool(text: string): boolean {
  const value = boolValue(text);
  if (value === undefined)
    throw new Error(`strconv.ParseBool: parsing ${quote(text)}: invalid syntax`);
  return value;
}
