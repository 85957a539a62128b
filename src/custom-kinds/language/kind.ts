import type { ObjectMeta } from "../../api/meta/v1/object-meta.ts";
import type { JsonSchema } from "../../schema/structural/json-schema.ts";
import { definitionOf } from "./definition-of.ts";
import type { CustomKind, KindDefinition } from "./kind-definition.ts";
import type { InputOf as MembersInput, Properties, ValueOf } from "./property.ts";

/** An object of a kind with these fields, as the server serves it. */
export type ObjectValue<P extends Properties> = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
} & ValueOf<P>;
/** The same as a client may write it. */
export type ObjectInput<P extends Properties> = {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata?: ObjectMeta | undefined;
} & MembersInput<P>;

/** The objects of a kind: `interface Widget extends ObjectOf<typeof Widget> {}`. */
export type ObjectOf<K extends { readonly $value?: unknown }> = NonNullable<K["$value"]>;
/** The same as a client may write them. */
export type InputOf<K extends { readonly $input?: unknown }> = NonNullable<K["$input"]>;

/** Declares a custom kind: its type, its client, its rules and its manifest follow from it. */
export function kind<const P extends Properties>(
  definition: KindDefinition<P>,
): CustomKind<ObjectValue<P>, ObjectInput<P>> {
  const { group, version, kind: name, plural, scope } = definition;
  const manifest = definitionOf(definition);
  const own = manifest.spec?.versions?.find((one) => one.name === version);
  return {
    group,
    version,
    kind: name,
    plural,
    scope,
    schema: (own?.schema?.openAPIV3Schema ?? {}) as JsonSchema,
    definition: manifest,
  };
}
