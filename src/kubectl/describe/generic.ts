import type { DiscoveredKind } from "../../client/discovery/rest-mapper.ts";
import type { DynamicObject } from "../../client/resource-kind.ts";
import { goString } from "../../schema/values/go-print.ts";
import { sortedKeys } from "../../schema/values/utf8-order.ts";
import { describedKind } from "./describe-context.ts";
import type { Description } from "./description.ts";
import { eventLines } from "./events.ts";
import { headLines } from "./metadata-lines.ts";
import { type Describer, objectDescriber } from "./object-describer.ts";
import { smartLabel } from "./smart-label.ts";

/** Describes objects of any kind by all of their fields. */
export const genericDescriber = (kind: DiscoveredKind): Describer =>
  objectDescriber(describedKind<DynamicObject>(kind), async (d, object, context) => {
    const events = await context.events(object);
    headLines(d, object.metadata, true);
    fieldLines(d, object, { level: 0, path: "" });
    eventLines(d, events, context.clock);
  });

/** What the head of the description has, or nobody reads. */
const left = new Set(
  ["managedFields", "name", "namespace", "labels", "annotations"].map(
    (name) => `.metadata.${name}`,
  ),
);

interface Position {
  readonly level: number;
  readonly path: string;
}

function fieldLines(d: Description, content: object, { level, path }: Position): void {
  const members = content as Readonly<Record<string, unknown>>;
  for (const name of sortedKeys(members)) {
    const below: Position = { level: level + 1, path: `${path}.${name}` };
    if (left.has(below.path)) continue;
    const value = members[name];
    if (!isObject(value)) {
      d.field(smartLabel(name), goString(value), level);
      continue;
    }
    d.line(`${smartLabel(name)}:`, level);
    if (!Array.isArray(value)) {
      fieldLines(d, value, below);
      continue;
    }
    for (const item of value as readonly unknown[])
      if (isObject(item) && !Array.isArray(item)) fieldLines(d, item, below);
      else d.line(goString(item), level + 1);
  }
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
