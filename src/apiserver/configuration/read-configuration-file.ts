import type { Struct } from "../../schema/language/struct.ts";
import {
  DocumentError,
  decodeDocument,
  readDocument,
  unknownKind,
} from "../../schema/yaml/read-document.ts";

/** A kind of files that configure the API server. */
export interface ConfigurationFileKind<T> {
  readonly struct: Struct<T>;
  readonly kind: string;
  /** Those of the group apiserver.config.k8s.io, which all have the same fields. */
  readonly versions: readonly string[];
  /** Where upstream declares the kinds that may be in such a file, as its errors name it. */
  readonly scheme: string;
}

const group = "apiserver.config.k8s.io/";

/** Reads a file strictly: unknown and repeated fields are errors, which are upstream's. */
export function readConfigurationFile<T>(
  text: string,
  { struct, kind, versions, scheme }: ConfigurationFileKind<T>,
): T {
  const { value: document, strict } = readDocument(text);
  const apiVersion = String(document.apiVersion);
  if (document.kind !== kind || !versions.some((version) => apiVersion === group + version))
    throw unknownKind(document, scheme);
  const decoded = decodeDocument(struct, document);
  const minded = [...strict, ...decoded.strict];
  if (minded.length > 0) throw new DocumentError(`strict decoding error: ${minded.join(", ")}`);
  return decoded.value as T;
}
