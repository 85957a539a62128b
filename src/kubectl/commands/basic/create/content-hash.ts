import { createHash } from "node:crypto";
import { jsonText } from "../../../print/json-text.ts";

/** The hash of an object's content for its name: ten letters and digits, without vowels that make words. */
export function contentHash(content: object): string {
  const hex = createHash("sha256").update(jsonText(content)).digest("hex");
  return hex.slice(0, 10).replace(/[013ae]/g, (digit) => replacements[digit] ?? digit);
}

const replacements: Readonly<Record<string, string>> = {
  "0": "g",
  "1": "h",
  "3": "k",
  a: "m",
  e: "t",
};
