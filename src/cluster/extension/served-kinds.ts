import type { AnyKind } from "../../apiserver/objects/object.ts";
import type { ComputedKinds } from "../../apiserver/subresources/computed-objects.ts";
import type { Webhook } from "../../controller-runtime/webhooks/webhook-definition.ts";
import type { CustomKind } from "../../custom-kinds/language/kind-definition.ts";
import { servedVersions } from "../../custom-kinds/objects/served-kind.ts";
import type { Kind } from "../../schema/language/kind.ts";
import type { ComputedKind } from "./computed-kind.ts";

/** What a server of other APIs serves: objects that it stores, and those that are computed. */
export interface ServedKinds {
  readonly kinds: readonly AnyKind[];
  readonly computed: ComputedKinds;
}

/** The kinds of a server in all of their versions; webhooks convert between them. */
export function servedKindsOf(
  declared: readonly (CustomKind | ComputedKind)[],
  webhooks: readonly Webhook[],
): ServedKinds {
  const computed = new Map<AnyKind, ComputedKind>();
  const kinds = declared.flatMap((one): readonly AnyKind[] => {
    if (!("objects" in one)) return servedVersions(one, conversionOf(one, webhooks));
    return servedVersions(one.kind).map((version) => {
      const served = { ...version, isStored: false, verbs: one.verbs };
      computed.set(served, one);
      return served;
    });
  });
  return { kinds, computed: (kind) => computed.get(kind)?.objects };
}

/** Kinds are served as those that are declared with structs. */
export const asDeclared = (kinds: readonly AnyKind[]): readonly Kind[] =>
  kinds as readonly unknown[] as readonly Kind[];

function conversionOf({ group, plural }: CustomKind, webhooks: readonly Webhook[]) {
  const convert = webhooks.find(
    ({ kind, convert }) => convert && kind.group === group && kind.plural === plural,
  )?.convert;
  if (!convert) return undefined;
  return (objects: readonly object[], desiredAPIVersion: string) =>
    convert({ objects: objects as Parameters<typeof convert>[0]["objects"], desiredAPIVersion });
}
