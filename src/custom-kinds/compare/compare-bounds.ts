import { sameJson } from "../../schema/json/json-value.ts";
import type { JsonSchema } from "../../schema/structural/json-schema.ts";
import { type Changes, shown } from "./change.ts";

/** Compares which values are accepted: what is accepted no longer is incompatible. */
export function compareBounds(old: JsonSchema, next: JsonSchema, changes: Changes): void {
  compareRanges(old, next, changes);
  compareForms(old, next, changes);
  compareEnums(old, next, changes);
  for (const name of junctors)
    if (next[name] !== undefined && !sameJson(next[name], old[name] ?? null))
      changes.incompatible(
        `${name} is not what it was`,
        "What it accepts cannot be compared: make sure that it accepts all that it did.",
      );
}

function compareRanges(old: JsonSchema, next: JsonSchema, changes: Changes): void {
  for (const [name, what] of lower) {
    const [before, after] = [old[name], next[name]];
    if (after !== undefined && (before === undefined || after > before))
      tightened(`${what} is ${after}`, before, changes);
  }
  for (const [name, what] of upper) {
    const [before, after] = [old[name], next[name]];
    if (after !== undefined && (before === undefined || after < before))
      tightened(`${what} is ${after}`, before, changes);
  }
  for (const [name, bound] of exclusive)
    if (next[name] && !old[name] && next[bound] === old[bound])
      changes.incompatible(`${shown(next[bound])} itself is excluded`, advice);
}

/** What is no range. */
function compareForms(old: JsonSchema, next: JsonSchema, changes: Changes): void {
  const { multipleOf } = next;
  if (multipleOf !== undefined && (old.multipleOf ?? 0.5) % multipleOf !== 0)
    tightened(`it must be a multiple of ${multipleOf}`, old.multipleOf, changes);
  if (next.pattern && next.pattern !== old.pattern)
    tightened(`it must match ${shown(next.pattern)}`, old.pattern, changes);
  if (next.format && next.format !== old.format && !isWider(old.format, next.format))
    tightened(`the format is ${next.format}`, old.format, changes);
  if (next.uniqueItems && !old.uniqueItems) changes.incompatible("items must be unique", advice);
  if (next["x-kubernetes-embedded-resource"] && !old["x-kubernetes-embedded-resource"])
    changes.incompatible("it must be an object with apiVersion and kind", advice);
}

const lower = [
  ["minimum", "the least value"],
  ["minLength", "the least length"],
  ["minItems", "the least number of items"],
  ["minProperties", "the least number of members"],
] as const;
const upper = [
  ["maximum", "the greatest value"],
  ["maxLength", "the greatest length"],
  ["maxItems", "the greatest number of items"],
  ["maxProperties", "the greatest number of members"],
] as const;
const exclusive = [
  ["exclusiveMinimum", "minimum"],
  ["exclusiveMaximum", "maximum"],
] as const;
const junctors = ["allOf", "anyOf", "oneOf", "not"] as const;

const advice =
  "Clients that write other values are rejected; objects that have one stay valid while it does not change. Accept what was accepted.";

function tightened(what: string, before: unknown, changes: Changes): void {
  const was = before === undefined || before === "" ? "there was no bound" : `was ${before}`;
  changes.incompatible(`${what}, and ${was}`, advice);
}

const isWider = (old: string | undefined, next: string): boolean =>
  (old === "int32" && next === "int64") || (old === "float" && next === "double");

function compareEnums(old: JsonSchema, next: JsonSchema, changes: Changes): void {
  if (!next.enum) {
    if (old.enum) changes.note("any value is accepted", "Clients must be ready for new values.");
    return;
  }
  if (!old.enum) {
    tightened(`it must be one of ${next.enum.map(shown).join(", ")}`, undefined, changes);
    return;
  }
  const isIn = (values: readonly unknown[], value: unknown) =>
    values.some((other) => sameJson(other, value));
  const { enum: after } = next;
  const gone = old.enum.filter((value) => !isIn(after, value));
  const added = after.filter((value) => !isIn(old.enum ?? [], value));
  if (gone.length > 0)
    changes.incompatible(`${gone.map(shown).join(", ")} is no longer accepted`, advice);
  if (added.length > 0)
    changes.note(
      `${added.map(shown).join(", ")} is accepted, too`,
      "Clients that read it must be ready for new values.",
    );
}
