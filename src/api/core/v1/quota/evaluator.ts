import type { Amounts } from "./amounts.ts";
import type { ResourceQuotaSpec } from "./resource-quota-spec.ts";
import { type ScopeRequirement, scopesOf } from "./scopes.ts";

/** What objects of a resource use of quotas. It may be asked of any object of the resource, as v1 has it. */
export interface QuotaEvaluator<O = never> {
  readonly group: string;
  readonly plural: string;
  /** Whether objects can use any of what has such a name in a quota. */
  tracks(name: string): boolean;
  usage(object: O): Amounts;
  /** Whether a write of an object can make it use more. */
  charges(write: QuotaWrite<O>): boolean;
  /** Whether an object is in a scope; those of a resource without it are in none. */
  isInScope?(object: O, requirement: ScopeRequirement): boolean;
  /** What an object must say where these are limited, and does not. */
  lacks?(object: O, names: readonly string[]): string | undefined;
  /** From when on an object uses less, by itself, in milliseconds since the epoch. */
  endsAt?(object: O): number | undefined;
}

/** A write of an object or of a part of it. */
export interface QuotaWrite<O = never> {
  readonly operation: "CREATE" | "UPDATE";
  readonly subresource: string;
  readonly object: O;
  readonly old: O | undefined;
}

/** An evaluator that is asked of objects whose type is not known here. */
export type AnyEvaluator = QuotaEvaluator<object>;

/** Whether an object is in all scopes of a quota. */
export const isInScopes = (
  evaluator: AnyEvaluator,
  object: object,
  spec: Pick<ResourceQuotaSpec, "scopes" | "scopeSelector">,
): boolean =>
  scopesOf(spec).every((requirement) => evaluator.isInScope?.(object, requirement) ?? false);

/** What the number of objects of a resource is called in a quota. */
export const countName = ({ group, plural }: { group: string; plural: string }): string =>
  group === "" ? `count/${plural}` : `count/${plural}.${group}`;
