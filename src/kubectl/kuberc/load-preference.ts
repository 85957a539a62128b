import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileFault, isMissing } from "../../kubeconfig/file-fault.ts";
import { decodeJson } from "../../schema/json/decode.ts";
import { isMap } from "../../schema/json/json-value.ts";
import { stringifyJson } from "../../schema/json/strict-json.ts";
import { splitDocuments, yamlToJson } from "../../schema/yaml/yaml.ts";
import type { KubercFile } from "./kuberc-file.ts";
import { OldPreference, Preference, upgraded } from "./preference.ts";

/** Loads the preferences; undefined if there are none. Only a file that is named must be right. */
export function loadPreference(
  { path, isExplicit }: KubercFile,
  { cwd, warn }: { readonly cwd: string; warn(text: string): void },
): Preference | undefined {
  let text: string;
  try {
    text = readFileSync(resolve(cwd, path), "utf8");
  } catch (cause) {
    const fault = fileFault("open", path, cause);
    if (isExplicit) throw new Error(`kuberc: ${fault}`, { cause });
    if (!isMissing(cause)) warn(`kuberc: no preferences loaded from ${path}: ${fault}`);
    return undefined;
  }
  const documents = splitDocuments(text).filter((document) => document.trim() !== "");
  for (const document of documents) {
    const decoded = decodedPreference(document);
    if (!decoded) continue;
    const { strict, preference } = decoded;
    if (strict.length > 0)
      warn(
        `kuberc: ignoring strict decoding error in ${path}: strict decoding error: ${strict.toSorted().join(", ")}`,
      );
    return preference;
  }
  if (documents.length === 0) return undefined;
  const fault = `no valid preferences found in ${path}, use --v=5 to see details`;
  if (isExplicit) throw new Error(`kuberc: ${fault}`);
  warn(`kuberc: no preferences loaded from ${path}: ${fault}`);
  return undefined;
}

/** A document as preferences, and what a strict reader minds; undefined for anything else. */
function decodedPreference(
  document: string,
): { readonly preference: Preference; readonly strict: readonly string[] } | undefined {
  try {
    const value = yamlToJson(document, { lenient: true });
    if (!isMap(value) || value.kind !== "Preference") return undefined;
    if (value.apiVersion === "kubectl.config.k8s.io/v1alpha1") {
      const { value: old, strict } = decodeJson(OldPreference, stringifyJson(value));
      return { preference: upgraded(old as OldPreference), strict };
    }
    if (value.apiVersion !== "kubectl.config.k8s.io/v1beta1") return undefined;
    const { value: preference, strict } = decodeJson(Preference, stringifyJson(value));
    return { preference: preference as Preference, strict };
  } catch {
    return undefined;
  }
}
