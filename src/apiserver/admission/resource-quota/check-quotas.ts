import {
  type Amounts,
  add,
  amountsOf,
  exceeding,
  formatAmounts,
  increase,
  only,
  withoutZeros,
} from "../../../api/core/v1/quota/amounts.ts";
import type { AnyEvaluator, QuotaWrite } from "../../../api/core/v1/quota/evaluator.ts";
import type { ResourceQuota } from "../../../api/core/v1/quota/resource-quota.ts";
import { formatScope, type ScopeRequirement, scopesOf } from "../../../api/core/v1/quota/scopes.ts";
import { errorMessage } from "../../../base/error-message.ts";
import { quantitySign } from "../../../schema/values/quantity.ts";
import { compareUtf8 } from "../../../schema/values/utf8-order.ts";
import type { LimitedResource } from "./configuration.ts";

/** A quota and its current usage. */
export interface Account {
  readonly quota: ResourceQuota;
  readonly hard: Amounts;
  readonly used: Amounts;
}

export const accountOf = (quota: ResourceQuota): Account => ({
  quota,
  hard: amountsOf(quota.status.hard),
  used: amountsOf(quota.status.used),
});

/** A write that may use quotas, and the evaluator of its usage. */
export interface Charge extends QuotaWrite<object> {
  readonly evaluator: AnyEvaluator;
}

/** The accounts after a write, or the reason of its rejection. */
export type Checked =
  | { readonly accounts: readonly Account[] }
  /** Exceeding a quota is Forbidden; other errors have no reason. */
  | { readonly forbidden: string }
  | { readonly fault: string };

/** Whether a write fits all quotas that it matches, and all that needs one has one. */
export function checkQuotas(
  accounts: readonly Account[],
  charge: Charge,
  limited: readonly LimitedResource[],
): Checked {
  const { evaluator, object } = charge;
  const needed = neededQuotas(charge, limited);
  // Upstream admits objects whose scopes it cannot determine.
  if (!needed) return { accounts };
  const pertinent: Account[] = [];
  const covered: Covered = { names: new Set(), scopes: new Set() };
  for (const account of accounts) {
    const { quota, hard, used } = account;
    const scopes = scopesOf(quota.spec);
    const matched = matchingScopes(evaluator, object, scopes);
    if (typeof matched === "string")
      return { fault: `error matching scopes of quota ${quota.metadata.name}, err: ${matched}` };
    for (const { scopeName } of matched) covered.scopes.add(scopeName);
    const names = [...hard.keys()].filter((name) => evaluator.tracks(name));
    if (names.length === 0 || matched.length < scopes.length) continue;
    const lacking = evaluator.lacks?.(object, names);
    if (lacking !== undefined)
      return { forbidden: `failed quota: ${quota.metadata.name}: ${lacking}` };
    if (!names.every((name) => used.has(name)))
      return {
        forbidden: `status unknown for quota: ${quota.metadata.name}, resources: ${sorted(names)}`,
      };
    pertinent.push(account);
    for (const name of names) covered.names.add(name);
  }
  const usage = evaluator.usage(object);
  const negative = [...usage].filter(([, amount]) => quantitySign(amount) < 0);
  if (negative.length > 0)
    return {
      forbidden: `quota usage is negative for resource(s): ${sorted(negative.map(([name]) => name))}`,
    };
  const deltas = deltasOf(charge, usage, pertinent);
  if (!deltas) return { accounts };
  const uncovered = uncoveredBy(covered, needed);
  if (uncovered) return uncovered;
  return charged(accounts, deltas, charge);
}

interface Needed {
  readonly names: readonly string[];
  readonly scopes: readonly ScopeRequirement[];
}
interface Covered {
  readonly names: Set<string>;
  readonly scopes: Set<string>;
}

/** The resources of a write that need a quota; undefined if they cannot be determined. */
function neededQuotas(
  { evaluator, object }: Charge,
  limited: readonly LimitedResource[],
): Needed | undefined {
  const scopes: ScopeRequirement[] = [];
  for (const { matchScopes = [] } of limited) {
    const matched = matchingScopes(evaluator, object, matchScopes);
    if (typeof matched === "string") return undefined;
    scopes.push(...matched);
  }
  const parts = limited
    .filter(({ apiGroup = "", resource }) => isOf(evaluator, apiGroup, resource))
    .flatMap(({ matchContains = [] }) => matchContains);
  if (parts.length === 0) return { names: [], scopes };
  const names = [...evaluator.usage(object)]
    .filter(
      ([name, amount]) => quantitySign(amount) > 0 && parts.some((part) => name.includes(part)),
    )
    .map(([name]) => name);
  return { names, scopes };
}

const isOf = ({ group, plural }: AnyEvaluator, apiGroup: string, resource: string): boolean =>
  group === apiGroup && plural === resource;

/** The scopes that an object is in; a text is the reason why they cannot be determined. */
function matchingScopes(
  { isInScope }: AnyEvaluator,
  object: object,
  scopes: readonly ScopeRequirement[],
): readonly ScopeRequirement[] | string {
  if (!isInScope) return [];
  const matched: ScopeRequirement[] = [];
  for (const scope of scopes) {
    try {
      if (isInScope(object, scope)) matched.push(scope);
    } catch (error) {
      return `error on matching scope ${formatScope(scope)}: failed to parse and convert selector: ${errorMessage(error)}`;
    }
  }
  return matched;
}

/** The increase of each account; undefined if there is none. Usage of the old object is subtracted. */
function deltasOf(
  { evaluator, operation, old }: Charge,
  usage: Amounts,
  pertinent: readonly Account[],
): ReadonlyMap<Account, Amounts> | undefined {
  const isUpdate = operation === "UPDATE" && old !== undefined;
  const growth = isUpdate ? increase(usage, evaluator.usage(old)) : withoutZeros(usage);
  if (pertinent.length === 0) return growth.size === 0 ? undefined : new Map();
  const wasIn = ({ quota }: Account): boolean => {
    const scopes = scopesOf(quota.spec);
    const matched = isUpdate && matchingScopes(evaluator, old, scopes);
    return typeof matched === "object" && matched.length === scopes.length;
  };
  const deltas = new Map(
    pertinent
      .map((account) => [account, wasIn(account) ? growth : withoutZeros(usage)] as const)
      .filter(([, delta]) => delta.size > 0),
  );
  return deltas.size === 0 ? undefined : deltas;
}

function uncoveredBy({ names, scopes }: Covered, needed: Needed): Checked | undefined {
  const missing = needed.names.filter((name) => !names.has(name));
  if (missing.length > 0)
    return { forbidden: `insufficient quota to consume: ${sorted([...new Set(missing)])}` };
  const open = needed.scopes.filter(({ scopeName }) => !scopes.has(scopeName));
  if (open.length === 0) return undefined;
  return {
    fault: `insufficient quota to match these scopes: [${open.map(formatScope).join(" ")}]`,
  };
}

function charged(
  accounts: readonly Account[],
  deltas: ReadonlyMap<Account, Amounts>,
  { subresource }: Charge,
): Checked {
  const next: Account[] = [];
  for (const account of accounts) {
    const { quota, hard, used } = account;
    const requested = only(deltas.get(account) ?? new Map(), (name) => hard.has(name));
    const after = add(used, requested);
    const over = exceeding(
      only(after, (name) => requested.has(name)),
      hard,
    );
    // The change of a status has happened already.
    if (over.size > 0 && subresource !== "status") {
      const shown = (amounts: Amounts) => formatAmounts(only(amounts, (name) => over.has(name)));
      return {
        forbidden: `exceeded quota: ${quota.metadata.name}, requested: ${shown(requested)}, used: ${shown(used)}, limited: ${shown(hard)}`,
      };
    }
    next.push(requested.size === 0 ? account : { ...account, used: after });
  }
  return next.every((account, i) => account === accounts[i]) ? { accounts } : { accounts: next };
}

const sorted = (names: readonly string[]): string => [...names].sort(compareUtf8).join(",");
