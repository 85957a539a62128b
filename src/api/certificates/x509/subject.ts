import type { NameAttribute } from "./names.ts";

/** The common name of a subject; the last one counts. */
export const commonNameOf = (subject: readonly NameAttribute[]): string =>
  subject.findLast(({ oid }) => oid === "2.5.4.3")?.value ?? "";

/** The organizations of a subject, in their order. */
export const organizationsOf = (subject: readonly NameAttribute[]): readonly string[] =>
  subject.filter(({ oid }) => oid === "2.5.4.10").map(({ value }) => value);
