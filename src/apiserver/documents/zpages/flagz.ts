import type { Random } from "../../../base/random.ts";
import { delimiterBy } from "./delimiter.ts";
import type { Page } from "./page-response.ts";

/** The page of flags and their values. */
export function flagzPage(flags: Readonly<Record<string, string>>, random: Random): Page {
  const names = Object.keys(flags).sort();
  return {
    kind: "Flagz",
    text() {
      const delimiter = delimiterBy(random);
      return names.map((name) => `${name}${delimiter}${flags[name]}\n`).join("");
    },
    fields: () => ({ flags: Object.fromEntries(names.map((name) => [name, flags[name]])) }),
  };
}
