import type { Kind } from "../../../schema/language/kind.ts";
import type { Draft, Fields } from "../../../schema/language/struct.ts";
import type { KindDefinition, ObjectValue } from "../../meta/v1/kind.ts";
import { storedStrategy } from "../../meta/v1/stored-strategy.ts";

/** What this version writes in another way, and how the two become each other. */
export interface Form<F extends Fields, G extends Fields> {
  readonly stored: Kind;
  readonly fields: F;
  toStored(object: ObjectValue<F>): ObjectValue<G>;
  fromStored(object: ObjectValue<G>): ObjectValue<F>;
}

/**
 * A kind of this version, of which all is said that is said of the kind it is stored as: rules,
 * strategy, columns and fields to select on see the object in the form in which it is stored.
 */
export function converted<const F extends Fields, const G extends Fields>(
  definition: KindDefinition<G>,
  { stored, fields, toStored, fromStored }: Form<F, G>,
): KindDefinition<F> {
  type Mine = Draft<ObjectValue<F>>;
  type Theirs = Draft<ObjectValue<G>>;
  const view = (object: unknown) => toStored(object as ObjectValue<F>);
  const draft = (object: unknown) => view(object) as unknown as Theirs;
  const conversion = { stored, fromStored, toStored };
  const { strategy = {}, rules = [], columns = [], selectableFields = {} } = definition;
  const { firstUpdateRules, updateRules, statusRules, conversion: _, ...names } = definition;
  return {
    ...(names as Omit<typeof names, "fields" | "defaults" | "rowConditions">),
    version: "v1beta1",
    stability: "beta",
    fields,
    conversion,
    rules: [
      (object, at) => {
        for (const rule of rules) if (typeof rule === "function") rule(view(object), at);
      },
    ],
    firstUpdateRules: (object, old, check) => firstUpdateRules?.(view(object), view(old), check),
    updateRules: (object, old, check) => updateRules?.(view(object), view(old), check),
    statusRules: (object, old, check) => statusRules?.(view(object), view(old), check),
    strategy: {
      deleteReturnsObject: true,
      ...storedStrategy<Mine>(conversion),
      warnings: (object, old) => strategy.warnings?.(draft(object), old && draft(old)) ?? [],
    },
    columns: columns.map((column) => ({
      ...column,
      cell: (object, context) => column.cell(view(object), context),
    })),
    selectableFields: Object.fromEntries(
      Object.entries(selectableFields).map(([name, select]) => [
        name,
        (object: ObjectValue<F>) => select(view(object)),
      ]),
    ),
  };
}
