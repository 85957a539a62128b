import { families } from "./family.ts";
import { policyTable, policyTableRules } from "./policy-table.ts";
import type { Changes, ObjectName } from "./table-contents.ts";

/** Replaces the tables at once by those with these contents. */
export const wholeTransaction = (contents: Changes): string =>
  text([...families.flatMap(policyTableRules), ...changeLines(contents)]);

/** Applies changes to the tables; empty if there are none. */
export const changeTransaction = (changes: Changes): string => text(changeLines(changes));

/** New objects come before what refers to them, and what refers to old ones goes before those. */
function changeLines({ chains, sets, elements }: Changes): readonly string[] {
  const removed = sets.filter(({ after }) => after === undefined);
  const gone = new Set(removed.map(({ key }) => key));
  const lines: string[] = [];
  for (const { key, after } of sets)
    if (after !== undefined) lines.push(`add set ${named(key)} { ${after} }`);
  for (const { key, after } of chains) {
    if (after === undefined) continue;
    lines.push(`add chain ${named(key)}`);
    lines.push(...after.map((rule) => `add rule ${named(key)} ${rule}`));
  }
  for (const [container, changed] of elements) {
    if (gone.has(container)) continue;
    const deleted = changed.filter(({ before }) => before !== undefined).map(({ key }) => key);
    lines.push(...elementLines("delete", container, deleted));
    const added = changed.flatMap(({ key, after }) =>
      after === undefined ? [] : [after === "" ? key : `${key} : ${after}`],
    );
    lines.push(...elementLines("add", container, added));
  }
  for (const { key, after } of chains)
    if (after === undefined) lines.push(`delete chain ${named(key)}`);
  for (const { key } of removed) lines.push(`delete set ${named(key)}`);
  return lines;
}

function elementLines(
  verb: "add" | "delete",
  container: ObjectName,
  elements: readonly string[],
): readonly string[] {
  const lines: string[] = [];
  for (let i = 0; i < elements.length; i += elementsPerLine) {
    const some = elements.slice(i, i + elementsPerLine).join(", ");
    lines.push(`${verb} element ${named(container)} { ${some} }`);
  }
  return lines;
}

/** Lines that a person can still read where nft quotes them in its errors. */
const elementsPerLine = 100;

function named(key: ObjectName): string {
  const [family = "", name = ""] = key.split(" ");
  return `${family} ${policyTable} ${name}`;
}

const text = (lines: readonly string[]): string =>
  lines.length === 0 ? "" : `${lines.join("\n")}\n`;
