import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileFault, isMissing } from "../../kubeconfig/file-fault.ts";
import type { ReadonlyJsonMap } from "../../schema/json/json-value.ts";
import {
  decodeDocument,
  type Read,
  readDocument,
  unknownKind,
} from "../../schema/yaml/read-document.ts";
import { splitDocuments } from "../../schema/yaml/yaml.ts";
import type { KubercFile } from "./kuberc-file.ts";
import { OldPreference, Preference, upgraded } from "./preference.ts";

export interface PreferenceSurroundings {
  readonly cwd: string;
  warn(text: string): void;
  /** Logs what was found where, at -v=5. */
  log(text: string, place: string): void;
}

/** Loads the preferences; undefined if there are none. Only a file that is named must be right. */
export function loadPreference(
  { path, isExplicit }: KubercFile,
  { cwd, warn, log }: PreferenceSurroundings,
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
  for (const [i, document] of documents.entries()) {
    const decoded = decodedPreference(document);
    const entry = `entry ${i + 1} in ${path}`;
    if (typeof decoded === "string") {
      log(`kuberc: strict decoding error for ${entry}: ${decoded}`, "marshal.go:71");
      continue;
    }
    const { strict, preference, version } = decoded;
    log(`kuberc: using entry ${i + 1} (${version}) in ${path}`, "marshal.go:94");
    if (strict.length > 0)
      warn(
        `kuberc: ignoring strict decoding error in ${path}: strict decoding error: ${strict.toSorted().join(", ")}`,
      );
    return preference;
  }
  if (documents.length === 0) {
    log(`kuberc: no preferences found in ${path}`, "marshal.go:103");
    return undefined;
  }
  const fault = `no valid preferences found in ${path}, use --v=5 to see details`;
  if (isExplicit) throw new Error(`kuberc: ${fault}`);
  warn(`kuberc: no preferences loaded from ${path}: ${fault}`);
  return undefined;
}

interface DecodedPreference {
  readonly preference: Preference;
  readonly version: string;
  /** What a strict reader minds. */
  readonly strict: readonly string[];
}

/** A document as preferences, or why it is not that. */
function decodedPreference(text: string): DecodedPreference | string {
  try {
    const document = readDocument(text);
    const version = String(document.value.apiVersion);
    const decode = document.value.kind === "Preference" ? decoders[version] : undefined;
    if (!decode) return unknownKind(document.value, scheme).message;
    const { value, strict } = decode(document.value);
    return { version, preference: value, strict: [...document.strict, ...strict] };
  } catch (error) {
    return (error as Error).message;
  }
}

const scheme = "k8s.io/kubectl/pkg/config/scheme/scheme.go:30";

const decoders: Readonly<Record<string, (document: ReadonlyJsonMap) => Read<Preference>>> = {
  "kubectl.config.k8s.io/v1beta1": (document) => decodeDocument(Preference, document),
  "kubectl.config.k8s.io/v1alpha1"(document) {
    const { value, strict } = decodeDocument(OldPreference, document);
    return { value: upgraded(value), strict };
  },
};
