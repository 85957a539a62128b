import { hasFormat } from "../../schema/structural/formats.ts";
import { requestUriFault } from "../../schema/values/go-url.ts";
import {
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isQualifiedName,
  isValidLabelValue,
  type Messages,
  nameIsDns1035Label,
  nameIsDnsLabel,
  nameIsDnsSubdomain,
} from "../../schema/values/names.ts";
import { CelOptional, type CelValue, optionalNone } from "../values/cel-value.ts";
import { ArrayList } from "../values/list.ts";
import { NamedFormat } from "../values/named-format.ts";
import { all, type Implementations, one, two } from "./implementation.ts";

/** The rule of names that something is appended to. */
const prefix =
  (rule: (text: string, prefix: boolean) => Messages) =>
  (text: string): Messages =>
    rule(text, true);

const known = (format: string, fault: string) => (text: string) =>
  hasFormat(format, text) === true ? [] : [fault];

const formats: readonly (readonly [
  name: string,
  title: string,
  maxRegexpSize: number,
  faultsOf: (text: string) => readonly string[],
])[] = [
  ["dns1123Label", "DNS1123Label", 30, isDns1123Label],
  ["dns1123Subdomain", "DNS1123Subdomain", 60, isDns1123Subdomain],
  ["dns1035Label", "DNS1035Label", 30, isDns1035Label],
  ["qualifiedName", "QualifiedName", 60, isQualifiedName],
  ["dns1123LabelPrefix", "DNS1123LabelPrefix", 30, prefix(nameIsDnsLabel)],
  ["dns1123SubdomainPrefix", "DNS1123SubdomainPrefix", 60, prefix(nameIsDnsSubdomain)],
  ["dns1035LabelPrefix", "DNS1035LabelPrefix", 30, prefix(nameIsDns1035Label)],
  ["labelValue", "LabelValue", 40, isValidLabelValue],
  [
    "uri",
    "URI",
    1103,
    (text) => {
      const fault = requestUriFault(text);
      return fault === undefined ? [] : [fault];
    },
  ],
  ["uuid", "uuid", 70, known("uuid", "does not match the UUID format")],
  ["byte", "byte", 84, known("byte", "invalid base64")],
  ["date", "date", 71, known("date", "invalid date")],
  ["datetime", "datetime", 71, known("datetime", "invalid datetime")],
];

const byName: ReadonlyMap<string, NamedFormat> = new Map(
  formats.map(([name, title, maxRegexpSize, faultsOf]) => [
    name,
    new NamedFormat(title, { maxRegexpSize, faultsOf }),
  ]),
);

/** The functions on formats of texts. */
export const formatFunctions: Implementations = {
  ...Object.fromEntries(
    Array.from(byName, ([name, format]) => [`format.${name}`, all(() => format)]),
  ),
  "format-named": one((name: string): CelValue => {
    const format = byName.get(name);
    return format === undefined ? optionalNone : new CelOptional(format);
  }),
  "format-validate": two((format: NamedFormat, text: string) => {
    const faults = format.faultsOf(text);
    return faults.length === 0 ? optionalNone : new CelOptional(new ArrayList(faults));
  }),
};
