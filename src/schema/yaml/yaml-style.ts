import { isTimestamp, resolveScalar } from "./yaml-scalar.ts";

export type ScalarStyle = "plain" | "single" | "double" | "literal";

/** How go-yaml writes a string in block context. */
export function scalarStyle(text: string): ScalarStyle {
  const unquotable = special.test(text) || / [\n\u2028\u2029]/.test(text);
  if (text.includes("\n")) return unquotable || text.endsWith(" ") ? "double" : "literal";
  if (!staysString(text)) return "double";
  if (unquotable || /[\u2028\u2029]/.test(text)) return "double";
  return mayBePlain(text) ? "plain" : "single";
}

/** Whether an unquoted text would be read as the same string, also by parsers that know base 60. */
function staysString(text: string): boolean {
  if (/^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/.test(text)) return false;
  return typeof resolveScalar(text) === "string" && !isTimestamp(text);
}

/** Characters that only an escape can express; those beyond the basic plane count as such. */
const special = /[^\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/;

const indicators = /^[#,[\]{}&*!|>'"%@`]|^[?:-](?:[ \t]|$)|^---|^\.\.\.|:(?:[ \t]|$)|[ \t]#/;

function mayBePlain(text: string): boolean {
  return !text.startsWith(" ") && !text.endsWith(" ") && !indicators.test(text);
}
