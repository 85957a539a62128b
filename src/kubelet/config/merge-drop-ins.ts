import type { ReadonlyJsonMap } from "../../schema/json/json-value.ts";
import { canonicalise } from "../../schema/language/normalise.ts";
import { applyMergePatch } from "../../schema/patch/merge-patch.ts";
import { quote } from "../../schema/values/quote.ts";
import {
  type ConfigurationFile,
  DocumentError,
  decodeDocument,
  type Parsed,
  readDocument,
} from "../../schema/yaml/read-document.ts";
import { defaultedConfiguration } from "./default-kubelet-configuration.ts";
import type { FeatureGates } from "./feature-gates.ts";
import {
  configurationKind,
  configurationVersion,
  KubeletConfiguration,
} from "./kubelet-configuration.ts";
import { declaredForm } from "./read-configuration.ts";

/** The files of the folder of `--config-dir`, in their order. */
export interface DropIns {
  readonly folder: string;
  readonly files: readonly ConfigurationFile[];
}

/**
 * Merges drop-in files, in their order, into a configuration: maps are merged, lists are replaced, and null
 * restores the default. Unlike in the file of `--config`, relative paths stay relative.
 */
export function mergeDropIns(
  base: KubeletConfiguration,
  { folder, files }: DropIns,
  gates: FeatureGates,
): Parsed<KubeletConfiguration> {
  try {
    // Upstream writes the base as JSON first, without empty lists and maps.
    let merged = canonicalise(KubeletConfiguration, base) as ReadonlyJsonMap;
    const walking = `failed to walk through kubelet dropin directory ${quote(folder)}: `;
    for (const file of files) {
      const patch = within(walking, () => readDropIn(file));
      merged = applyMergePatch(merged, patch) as ReadonlyJsonMap;
    }
    const { value, strict } = within(
      "failed to unmarshal merged JSON into kubelet configuration: ",
      () => decodeDocument(KubeletConfiguration, declaredForm(merged)),
    );
    return {
      value: defaultedConfiguration(value, gates),
      warnings: strict.map((problem) => `the drop-in files have an ${problem}`),
    };
  } catch (error) {
    if (error instanceof DocumentError)
      return { problems: [`failed to merge kubelet configs: ${error.message}`] };
    throw error;
  }
}

function readDropIn({ path, text }: ConfigurationFile): ReadonlyJsonMap {
  const failed = `failed to load kubelet dropin file, path: ${path}, `;
  if (text === "")
    throw new DocumentError(`${failed}error: kubelet config file ${quote(path)} was empty`);
  const { value, strict } = within(`${failed}error: `, () => readDocument(text));
  if (strict.length > 0)
    throw new DocumentError(`${failed}error: strict decoding error: ${strict.join(", ")}`);
  const { kind, apiVersion } = value;
  if (kind !== configurationKind || apiVersion !== configurationVersion)
    throw new DocumentError(`${failed}unknown apiVersion/kind: ${shown(apiVersion)}, Kind=${kind}`);
  return value;
}

/** A version as Go prints it: the core group has no name. */
const shown = (apiVersion: unknown): string =>
  String(apiVersion).includes("/") ? String(apiVersion) : `/${apiVersion}`;

/** Runs a reader, and adds context to what is wrong with a document. */
function within<T>(context: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof DocumentError) throw new DocumentError(context + error.message);
    throw error;
  }
}
