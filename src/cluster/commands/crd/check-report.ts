import type { Change } from "../../../custom-kinds/compare/change.ts";
import {
  type ComparedDefinition,
  compareDefinitions,
} from "../../../custom-kinds/compare/compare-definitions.ts";
import { definitionErrors } from "../../../custom-kinds/definitions/definition-errors.ts";
import type { Definition } from "../../../custom-kinds/language/kind-definition.ts";

type Compared = Definition & ComparedDefinition;

/** What changed between definitions, as a text, and whether all of it is compatible. */
export function checkReport(
  old: ReadonlyMap<string, Compared>,
  next: ReadonlyMap<string, Compared>,
): { readonly text: string; readonly isCompatible: boolean } {
  let isCompatible = true;
  const parts = [...next].map(([name, definition]) => {
    const before = old.get(name);
    const rejected = definitionErrors(definition, before).map(rejection);
    const changes = [...rejected, ...(before ? compareDefinitions(before, definition) : [])];
    const broken = changes.filter(({ severity }) => severity === "incompatible").length;
    if (broken > 0) isCompatible = false;
    const title = `${name}: ${summary({ isNew: !before, broken, notes: changes.length - broken })}\n`;
    return [title, ...changes.map(changeText)].join("");
  });
  return { text: parts.join("\n"), isCompatible };
}

const rejection = (error: string): Change => ({
  severity: "incompatible",
  path: "",
  what: `a server rejects it: ${error}`,
  advice: "",
});

interface Counts {
  readonly isNew: boolean;
  readonly broken: number;
  readonly notes: number;
}

function summary({ isNew, broken, notes }: Counts): string {
  if (broken === 0 && isNew) return "new";
  const noted = notes > 0 ? `, ${counted(notes, "note")}` : "";
  return broken === 0 ? `compatible${noted}` : `${counted(broken, "incompatible change")}${noted}`;
}

const counted = (count: number, what: string): string =>
  `${count} ${what}${count === 1 ? "" : "s"}`;

function changeText({ severity, path, what, advice }: Change): string {
  const place = path === "" ? "" : `${path}: `;
  const indented = advice === "" ? "" : `      ${advice}\n`;
  return `  ${severity === "note" ? "note" : "incompatible"}  ${place}${what}\n${indented}`;
}
