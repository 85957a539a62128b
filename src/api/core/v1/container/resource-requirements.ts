import { list, string } from "../../../../schema/language/field.ts";
import type { At } from "../../../../schema/language/report.ts";
import { type Infer, struct } from "../../../../schema/language/struct.ts";
import { isDns1123Label } from "../../../../schema/values/names.ts";
import { compareQuantities, parseQuantity } from "../../../../schema/values/quantity.ts";
import { type ResourceList, resourceList, roundUpResources } from "../resource-list.ts";
import {
  isDivisibleIntoPages,
  isHugePageResource,
  isOvercommitAllowed,
  type ResourceNameRule,
  validateResourceQuantity,
} from "../resource-name.ts";

export const ResourceClaim = struct("io.k8s.api.core.v1.ResourceClaim", {
  name: string(1).always().expected().doc("Name of an entry of the pod's resourceClaims."),
  request: string(2).doc("The request of the claim that is meant; all of them if empty."),
}).doc("Names a resource claim of the pod.");
export interface ResourceClaim extends Infer<typeof ResourceClaim> {}

export const ResourceRequirements = struct("io.k8s.api.core.v1.ResourceRequirements", {
  limits: resourceList(1).doc("The most that may be used."),
  requests: resourceList(2).doc("What is set aside; where absent, the limit."),
  claims: list(3, ResourceClaim).mapKeys("name").doc("Resource claims of the pod that are used."),
})
  .defaults(({ limits, requests }) => {
    roundUpResources(limits);
    roundUpResources(requests);
  })
  .doc("What is needed of each resource, and the most of it that may be used.");
export interface ResourceRequirements extends Infer<typeof ResourceRequirements> {}

export interface ResourceRules {
  /** Which resources may be named. */
  readonly name: ResourceNameRule;
  /** The names of the pod's resource claims. */
  readonly claimNames: ReadonlySet<string>;
  /** Accepts amounts of huge pages that are no multiple of the page size. */
  readonly allowIndivisibleHugePages?: boolean | undefined;
}

/** The rules of requests and limits. */
export function validateResourceRequirements(
  { limits = {}, requests = {}, claims = [] }: ResourceRequirements,
  at: At,
  rules: ResourceRules,
): void {
  validateAmounts(limits, at.child("limits"), rules);
  for (const [name, amount] of Object.entries(requests)) {
    validateAmount(name, amount, { at: at.child("requests"), rules });
    validateAgainstLimit(name, { amount, limits, at });
    validatePages(name, amount, { at: at.child("requests"), rules });
  }
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  if (names.some(isHugePageResource) && !names.includes("cpu") && !names.includes("memory"))
    at.forbidden("", "HugePages require cpu or memory");
  validateClaimNames(claims, at.child("claims"), rules.claimNames);
}

interface AmountContext {
  readonly at: At;
  readonly rules: ResourceRules;
}

function validateAmounts(amounts: ResourceList, at: At, rules: ResourceRules): void {
  for (const [name, amount] of Object.entries(amounts)) {
    validateAmount(name, amount, { at, rules });
    validatePages(name, amount, { at, rules });
  }
}

function validateAmount(name: string, amount: string, { at, rules }: AmountContext): void {
  const here = at.key(name);
  rules.name(name, here);
  validateResourceQuantity(name, amount, here);
}

function validatePages(name: string, amount: string, { at, rules }: AmountContext): void {
  if (!isHugePageResource(name) || rules.allowIndivisibleHugePages) return;
  if (!isDivisibleIntoPages(name, amount))
    at.key(name).invalid("", amount, `${amount} is not positive integer multiple of ${name}`);
}

function validateAgainstLimit(
  name: string,
  { amount, limits, at }: { amount: string; limits: ResourceList; at: At },
): void {
  const limit = Object.hasOwn(limits, name) ? limits[name] : undefined;
  if (limit === undefined) {
    if (!isOvercommitAllowed(name))
      at.required("limits", "Limit must be set for non overcommitable resources");
    return;
  }
  const order = compareQuantities(parseQuantity(amount), parseQuantity(limit));
  if (order !== 0 && !isOvercommitAllowed(name))
    at.invalid("requests", amount, `must be equal to ${name} limit of ${limit}`);
  else if (order > 0)
    at.invalid("requests", amount, `must be less than or equal to ${name} limit of ${limit}`);
}

function validateClaimNames(
  claims: readonly ResourceClaim[],
  at: At,
  claimNames: ReadonlySet<string>,
): void {
  const seen = new Set<string>();
  for (const [i, claim] of claims.entries()) {
    const here = at.index(i);
    if (!claim.name) {
      here.required();
      continue;
    }
    validateClaimOnce(claim, here, seen);
    if (!claimNames.has(claim.name)) here.notFound("", claim.name, unknownClaim(claimNames));
  }
}

/** `seen` holds claims that are named as a whole, and `claim/request`. */
function validateClaimOnce({ name, request }: ResourceClaim, at: At, seen: Set<string>): void {
  if (seen.has(name)) {
    at.duplicate("", name);
    return;
  }
  if (request) at.invalidEach("request", request, isDns1123Label(request));
  const key = request ? `${name}/${request}` : name;
  if (seen.has(key)) at.duplicate("", key);
  else if (!request)
    for (const other of seen) if (other.startsWith(`${name}/`)) at.duplicate("", name);
  seen.add(key);
}

const unknownClaim = (claimNames: ReadonlySet<string>): string =>
  `must be one of the names in pod.spec.resourceClaims${
    claimNames.size === 0 ? " which is empty" : `: ${[...claimNames].sort().join(", ")}`
  }`;
