import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileFault, isMissing } from "../../../../kubeconfig/file-fault.ts";
import { decodeJson } from "../../../../schema/json/decode.ts";
import { stringifyJson } from "../../../../schema/json/strict-json.ts";
import { yamlToJson } from "../../../../schema/yaml/yaml.ts";
import { Preference } from "../../../kuberc/preference.ts";

/** Reads the preferences of a file as they are; undefined if there is no file, or nothing in it. */
export function readPreference(path: string, cwd: string): Preference | undefined {
  let text: string;
  try {
    text = readFileSync(resolve(cwd, path), "utf8");
  } catch (cause) {
    if (isMissing(cause)) return undefined;
    throw new Error(`error reading kuberc file: ${fileFault("open", path, cause)}`, { cause });
  }
  if (text === "") return {};
  try {
    return decodeJson(Preference, stringifyJson(yamlToJson(text, { lenient: true })))
      .value as Preference;
  } catch (cause) {
    throw new Error(`error parsing kuberc file: ${(cause as Error).message}`, { cause });
  }
}
