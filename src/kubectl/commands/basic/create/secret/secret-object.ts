import { boolFlag } from "../../../../../cli/flag.ts";
import { isConfigMapKey } from "../../../../../schema/values/names.ts";
import { quote } from "../../../../../schema/values/quote.ts";
import { contentHash } from "../content-hash.ts";
import type { AddKey } from "../key-files.ts";
import { mapMember, type NewObject, newObject } from "../new-object.ts";

/** The flag of all commands that create secrets. */
export const appendHashFlags = {
  "append-hash": boolFlag({ usage: "Append a hash of the secret's content to its name." }),
};

/** The kind of all of them. */
export const secretKind = {
  group: "",
  version: "v1",
  kind: "Secret",
  plural: "secrets",
  scope: "Namespaced",
} as const;

/** A secret while its keys are added. */
export function secretContent(): {
  readonly data: Readonly<Record<string, string>>;
  readonly add: AddKey;
} {
  const data: Record<string, string> = {};
  const add: AddKey = (key, value) => {
    const faults = isConfigMapKey(key);
    if (faults.length > 0)
      throw new Error(`${quote(key)} is not valid key name for a Secret ${faults.join(";")}`);
    if (Object.hasOwn(data, key))
      throw new Error(`cannot add key ${key}, another key by that name already exists`);
    data[key] = Buffer.from(value).toString("base64");
  };
  return { data, add };
}

/** The secret with these keys; `plan` says what it is called. */
export function secretObject(
  plan: {
    readonly name: string;
    readonly namespace: string | undefined;
    readonly flags: { readonly "append-hash": boolean };
  },
  type: string,
  data: Readonly<Record<string, string>>,
): NewObject {
  const { name, namespace, flags } = plan;
  const hash = flags["append-hash"] ? `-${contentHash({ kind: "Secret", type, name, data })}` : "";
  return newObject(
    "v1 Secret",
    { name: `${name}${hash}`, namespace },
    { ...mapMember("data", data), ...(type !== "" && { type }) },
  );
}
