import { formatPortRange, type PortRange } from "../../apiserver/allocation/port-bits.ts";
import { writeCsv } from "../../cli/csv.ts";
import type { Flags } from "../../cli/flag.ts";
import { formatDuration } from "../../schema/values/duration.ts";
import type { FeatureSettings } from "./feature-gates-flag.ts";
import type { NamedCertificate } from "./named-certificate.ts";
import type { VersionChoice } from "./version-flag.ts";

/** The values of flags as pflag prints them, by name; values with a password are hidden. */
export function shownFlags(
  flags: Flags,
  values: Readonly<Record<string, unknown>>,
): Record<string, string> {
  const shown = Object.entries(flags).map(([name, flag]) => {
    const text = (flag.format ?? byType[flag.type] ?? String)(values[name]);
    return [name, hasPassword.test(text) ? "CLASSIFIED" : text] as const;
  });
  return Object.fromEntries(shown);
}

/** Matches passwords in URLs: other secrets are in files that flags only name. */
const hasPassword = /:\/\/[^/\s@]*:[^/\s@]*@/;

const list = (value: unknown): string => `[${writeCsv(value as readonly string[])}]`;

const pairs = (value: unknown): string[] =>
  [...(value as ReadonlyMap<string, string>)].map(([key, member]) => `${key}=${member}`);

const byType: Readonly<Record<string, (value: unknown) => string>> = {
  ip: (value) => String(value) || "<nil>",
  duration: (value) => formatDuration(BigInt(Math.round(Number(value) * 1e6))),
  strings: list,
  stringArray: list,
  stringToString: (value) => list(pairs(value)),
  mapStringString: (value) => pairs(value).sort().join(","),
  version: (value) => (value as VersionChoice).given,
  portRange: (value) => formatPortRange(value as PortRange),
  namedCertKey: (value) => `[${(value as readonly NamedCertificate[]).map(certificate).join(";")}]`,
  colonSeparatedMultimapStringString: (value) =>
    [...(value as FeatureSettings)]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([component, settings]) => settings.map((setting) => `${component}:${setting}`))
      .join(","),
};

const certificate = ({ certFile, keyFile, names }: NamedCertificate): string =>
  `${certFile},${keyFile}${names.length > 0 ? `:${names.join(",")}` : ""}`;
