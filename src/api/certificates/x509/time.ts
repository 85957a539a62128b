import { contentOf, type DerReader, tags } from "../../../base/der-reader.ts";
import { attempt } from "./public-key.ts";

const utcForm = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)?(Z|[+-]\d{4})$/;
const generalizedForm = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/;

/** The next time, in seconds since the epoch; throws Go's error if there is none. */
export function readTime(reader: DerReader): number {
  const element = attempt("x509: unsupported time format", () => reader.any());
  const text = new TextDecoder().decode(contentOf(element));
  if (element.tag === tags.utcTime) {
    const [, year = "", ...parts] = utcForm.exec(text) ?? [];
    if (year === "") throw new Error("x509: malformed UTCTime");
    // Two-digit years are 1950 to 2049.
    return secondsOf([Number(year) + (Number(year) >= 50 ? 1900 : 2000), ...parts.map(Number)]);
  }
  if (element.tag !== tags.generalizedTime) throw new Error("x509: unsupported time format");
  const [, ...parts] = generalizedForm.exec(text) ?? [];
  if (parts.length === 0) throw new Error("x509: malformed GeneralizedTime");
  return secondsOf(parts.map(Number));
}

const secondsOf = ([
  year = 0,
  month = 0,
  day = 0,
  hour = 0,
  minute = 0,
  second = 0,
]: readonly number[]) => Date.UTC(year, month - 1, day, hour, minute, second || 0) / 1000;
