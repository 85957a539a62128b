import { isMap, member, type ReadonlyJsonMap } from "../../schema/json/json-value.ts";
import type { Struct } from "../../schema/language/struct.ts";
import { formatDuration } from "../../schema/values/duration.ts";
import {
  decodeDocument,
  type Read,
  readDocument,
  unknownKind,
} from "../../schema/yaml/read-document.ts";

/** A kind of configuration files of components. */
export interface ConfigurationKind<T> {
  readonly struct: Struct<unknown, T>;
  readonly kind: string;
  readonly apiVersion: string;
  /** Where upstream's scheme of the group is declared, as its errors name it. */
  readonly scheme: string;
}

/** Reads the configuration file of a component, without defaults; throws a DocumentError. */
export function readConfiguration<T>(
  text: string,
  { struct, scheme, ...expected }: ConfigurationKind<T>,
): Read<T> {
  const { value: document, strict } = readDocument(text);
  const { kind, apiVersion } = document;
  if (kind !== expected.kind || apiVersion !== expected.apiVersion)
    throw unknownKind(document, scheme);
  const decoded = decodeDocument(struct, declaredForm(document));
  return { value: decoded.value, strict: [...strict, ...decoded.strict] };
}

/** A document with what Go reads in a way of its own in the declared form. */
export function declaredForm(document: ReadonlyJsonMap): ReadonlyJsonMap {
  const logging = member(document, "logging");
  if (!isMap(logging) || typeof logging.flushFrequency !== "number") return document;
  // This duration may also be a number of nanoseconds.
  const flushFrequency = formatDuration(BigInt(Math.trunc(logging.flushFrequency)));
  return { ...document, logging: { ...logging, flushFrequency } };
}

/** The warning about what a strict reader minds in a file. */
export const strictWarnings = (strict: readonly string[]): readonly string[] =>
  strict.length === 0
    ? []
    : [
        `Using lenient decoding as strict decoding failed: strict decoding error: ${strict.join(", ")}`,
      ];
