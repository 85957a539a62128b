import { decodeBase64 } from "../../base/base64.ts";
import { parseLooseDuration } from "../../schema/structural/loose-duration.ts";
import { parseDate, parseLocalTime, type Timestamp } from "../../schema/values/time.ts";
import { CelDuration, CelError, CelTimestamp, type CelValue } from "../values/cel-value.ts";
import { readTimestamp } from "../values/convert-value.ts";
import { nativeTypeName } from "./go-native.ts";

/** Reads texts of a format: some formats are values of other types. Upstream's errors differ in their first words. */
export function textReader(format: string): (json: unknown) => CelValue {
  const known = Object.hasOwn(formats, format) ? formats[format] : undefined;
  return (json) => {
    if (typeof json !== "string")
      return new CelError(`invalid data, expected string, got ${nativeTypeName(json)}`);
    if (known === undefined) return json;
    try {
      return known.read(json);
    } catch (fault) {
      if (!(fault instanceof SyntaxError)) throw fault;
      return new CelError(`Invalid ${known.name} ${json}: ${fault.message}`);
    }
  };
}

interface TextFormat {
  readonly name: string;
  /** Throws a SyntaxError with Go's words. */
  read(text: string): CelValue;
}

const formats: Readonly<Record<string, TextFormat>> = {
  duration: { name: "duration", read: (text) => new CelDuration(parseLooseDuration(text)) },
  date: { name: "date formatted string", read: (text) => timestampOf(parseDate(text)) },
  "date-time": { name: "date-time formatted string", read: readDateTime },
  byte: { name: "byte formatted string", read: readBytes },
};

const timestampOf = ({ seconds, nanos }: Timestamp): CelTimestamp =>
  new CelTimestamp(BigInt(seconds), nanos);

/** A time of RFC 3339, or one without a zone; nothing is the beginning of 1970. */
function readDateTime(text: string): CelTimestamp {
  if (text === "") return new CelTimestamp(0n, 0);
  return readTimestamp(text) ?? timestampOf(parseLocalTime(text));
}

/** Upstream reads the alphabet of URLs here, though the format is checked for that of base64 itself. */
function readBytes(text: string): Uint8Array {
  return decodeBase64(text.replaceAll(/[-_+/]/g, (digit) => standard[digit] ?? "!"));
}

const standard: Readonly<Record<string, string>> = { "-": "+", _: "/" };
