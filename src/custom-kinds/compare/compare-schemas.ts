import { sameJson } from "../../schema/json/json-value.ts";
import {
  additionalOf,
  itemsOf,
  type JsonSchema,
  propertyOf,
} from "../../schema/structural/json-schema.ts";
import type { CelRule } from "../language/property.ts";
import { type Changes, memberPath, shown } from "./change.ts";
import { compareBounds } from "./compare-bounds.ts";

/** Compares the schemas of a value, and of all that it holds. */
export function compareSchemas(old: JsonSchema, next: JsonSchema, changes: Changes): void {
  if (!compareTypes(old, next, changes)) return;
  compareBounds(old, next, changes);
  compareDefaults(old, next, changes);
  compareTopology(old, next, changes);
  compareRules(old, next, changes);
  if (old.nullable && !next.nullable)
    changes.incompatible(
      "may no longer be null",
      "A null that is stored is replaced by the default, or removed: keep it nullable.",
    );
  compareMembers(old, next, changes);
  const [items, nextItems] = [itemsOf<JsonSchema>(old), itemsOf<JsonSchema>(next)];
  if (items && nextItems) compareSchemas(items, nextItems, changes.below("[*]"));
}

/** Whether the rest can be compared. */
function compareTypes(old: JsonSchema, next: JsonSchema, changes: Changes): boolean {
  const [before, after] = [typeText(old), typeText(next)];
  if (before === after) return true;
  if (widenings.has(`${before} ${after}`)) {
    changes.note(
      `the type is ${after}, and was ${before}`,
      "Clients that read it must be ready for the new values.",
    );
    return true;
  }
  changes.incompatible(
    `the type is ${after}, and was ${before}`,
    "Objects that are stored no longer fit: add a member with another name, or a new version with a conversion.",
  );
  return false;
}

const typeText = (schema: JsonSchema): string => {
  if (schema["x-kubernetes-int-or-string"]) return "integer or string";
  const { type = "" } = schema;
  return typeof type === "string" ? type || "any" : type.join(" or ");
};

const widenings: ReadonlySet<string> = new Set([
  "integer number",
  "integer integer or string",
  "string integer or string",
  "integer any",
  "number any",
  "string any",
  "boolean any",
  "integer or string any",
]);

function compareDefaults(old: JsonSchema, next: JsonSchema, changes: Changes): void {
  const [before, after] = [old.default ?? undefined, next.default ?? undefined];
  if (sameJson(before ?? null, after ?? null)) return;
  if (before === undefined)
    changes.note(
      `the default is ${shown(after)}, and there was none`,
      "Objects that are stored without the member show it from now on.",
    );
  else
    changes.incompatible(
      after === undefined
        ? `there is no default, and it was ${shown(before)}`
        : `the default is ${shown(after)}, and was ${shown(before)}`,
      "Objects that relied on the default mean something else from now on: change it in a new version.",
    );
}

/** How server-side apply merges, and what must be unique. */
function compareTopology(old: JsonSchema, next: JsonSchema, changes: Changes): void {
  for (const name of ["x-kubernetes-list-type", "x-kubernetes-map-type"] as const) {
    const standard = name === "x-kubernetes-list-type" ? "atomic" : "granular";
    const [before, after] = [old[name] ?? standard, next[name] ?? standard];
    if (before === after) continue;
    const what = `${name} is ${after}, and was ${before}`;
    if (after === "atomic") changes.note(what, "Whoever applies it next owns all of it.");
    else
      changes.incompatible(
        what,
        "Managers that own the whole own nothing of its parts, and stored duplicates are rejected: keep it.",
      );
  }
  const keys = old["x-kubernetes-list-map-keys"] ?? [];
  const nextKeys = next["x-kubernetes-list-map-keys"] ?? [];
  if (keys.length > 0 && nextKeys.length > 0 && !sameJson(keys, nextKeys))
    changes.incompatible(
      `items are identified by ${nextKeys.join(", ")}, and were by ${keys.join(", ")}`,
      "Server-side apply takes items for others: keep the keys.",
    );
}

function compareRules(old: JsonSchema, next: JsonSchema, changes: Changes): void {
  const rulesOf = (schema: JsonSchema): readonly string[] =>
    (schema["x-kubernetes-validations"] ?? []).map((each) => (each as CelRule).rule);
  const before = rulesOf(old);
  for (const rule of rulesOf(next))
    if (!before.includes(rule))
      changes.incompatible(
        `the rule ${shown(rule)} is new`,
        "Clients that write such values are rejected; objects that break it stay valid while this part does not change. Make sure that no client does, or let the rule pass what was valid before: oldSelf.",
      );
}

function compareMembers(old: JsonSchema, next: JsonSchema, changes: Changes): void {
  const isOpen = next["x-kubernetes-preserve-unknown-fields"] === true;
  const additional = additionalOf<JsonSchema>(old);
  const nextAdditional = additionalOf<JsonSchema>(next);
  for (const [name, before] of Object.entries(old.properties ?? {})) {
    const here = changes.below(memberPath(name));
    const after = propertyOf(next, name) ?? nextAdditional;
    if (after) compareSchemas(before, after, here);
    else if (isOpen || next.additionalProperties === true)
      here.note("is no longer declared", "It is kept, but no longer validated.");
    else
      here.incompatible(
        "is removed",
        "Objects lose it when they are written next. Keep it, and say in its description that it is not used.",
      );
  }
  compareRequired(old, next, changes);
  if (additional && nextAdditional)
    compareSchemas(additional, nextAdditional, changes.below("[*]"));
  const wasOpen = old["x-kubernetes-preserve-unknown-fields"] || old.additionalProperties;
  if (wasOpen && !isOpen && !next.additionalProperties)
    changes.incompatible(
      "members that are not declared are removed, and were kept",
      "Declare all members that objects have, or keep the others.",
    );
}

function compareRequired(old: JsonSchema, next: JsonSchema, changes: Changes): void {
  for (const name of next.required ?? []) {
    if (old.required?.includes(name)) continue;
    const { default: standard } = propertyOf(next, name) ?? {};
    if (standard !== undefined && standard !== null) continue;
    changes
      .below(memberPath(name))
      .incompatible(
        "is required, and was not",
        "Objects without it can no longer be written: give it a default, or leave it optional.",
      );
  }
}
