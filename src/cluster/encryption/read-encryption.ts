import { readFile } from "node:fs/promises";
import { aggregateMessage } from "../../base/aggregate-message.ts";
import { checkPrivate } from "../../platform/files.ts";
import {
  DocumentError,
  decodeDocument,
  readDocument,
  unknownKind,
} from "../../schema/yaml/read-document.ts";
import { EncryptionConfiguration, encryptionFaults } from "./encryption-configuration.ts";

/** Reads and validates a file with an EncryptionConfiguration; an error holds nothing of the keys. */
export async function readEncryption(
  path: string,
  reloads: boolean,
): Promise<EncryptionConfiguration> {
  try {
    return parseEncryption(path, await textOf(path), reloads);
  } catch (error) {
    throw new Error(`error while parsing file: ${(error as Error).message}`);
  }
}

async function textOf(path: string): Promise<string> {
  try {
    const text = await readFile(path, "utf8");
    if (text !== "") return text;
  } catch (cause) {
    const { code = "" } = cause as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? "no such file or directory" : code;
    throw new Error(
      `error while loading file: error reading encryption provider configuration file ${JSON.stringify(path)}: open ${path}: ${why}`,
    );
  }
  throw new Error(
    `error while loading file: encryption provider configuration file ${JSON.stringify(path)} is empty`,
  );
}

/** Warns if others than its owner may read the file. */
export const privacyWarning = (path: string): Promise<string | undefined> =>
  checkPrivate(path).then(
    () => undefined,
    (error: unknown) => (error as Error).message,
  );

const version = "apiserver.config.k8s.io/v1";

function parseEncryption(path: string, text: string, reloads: boolean): EncryptionConfiguration {
  const config = decoded(path, text);
  const faults = encryptionFaults(config, reloads);
  if (faults.length > 0) throw new Error(aggregateMessage(faults));
  return config;
}

function decoded(path: string, text: string): EncryptionConfiguration {
  try {
    const { value: document, strict } = readDocument(text);
    if (document.kind !== "EncryptionConfiguration" || document.apiVersion !== version)
      throw unknownKind(document, scheme);
    const read = decodeDocument(EncryptionConfiguration, document);
    const minded = [...strict, ...read.strict];
    if (minded.length > 0) throw new DocumentError(`strict decoding error: ${minded.join(", ")}`);
    return read.value;
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    // A message may quote the document, which holds keys.
    const message = error.message.replace(/ is missing in '.*'$/s, " is missing");
    throw new Error(
      `error decoding encryption provider configuration file ${JSON.stringify(path)}: ${message}`,
    );
  }
}

const scheme = "k8s.io/apiserver/pkg/server/options/encryptionconfig/config.go:142";
