import { setMember } from "../../../../schema/json/strict-json.ts";
import type { At } from "../../../../schema/language/report.ts";
import type { Draft, InferInput } from "../../../../schema/language/struct.ts";
import { sortedKeys } from "../../../../schema/values/utf8-order.ts";
import { validateResourceRequirements } from "../container/resource-requirements.ts";
import type { ResourceList } from "../resource-list.ts";
import {
  isHugePageResource,
  isOvercommitAllowed,
  isPodLevelResource,
  validatePodResourceName,
} from "../resource-name.ts";
import { containerResources, exceeds } from "./pod-requests.ts";
import type { PodSpec } from "./pod-spec.ts";
import type { PodValidationOptions } from "./validation/pod-validation-options.ts";

/** Fills in the resources of a new pod as a whole, where it has any, from those of its containers. */
export function defaultPodResources(spec: Draft<InferInput<typeof PodSpec>>): void {
  const { resources } = spec;
  if (!resources) return;
  const limits: Amounts = { ...resources.limits };
  const requests: Amounts = { ...resources.requests };
  if (isEmpty(limits) && isEmpty(requests)) return;

  for (const [name, amount] of Object.entries(containerResources(spec, "limits")))
    if (isHugePageResource(name) && !Object.hasOwn(requests, name)) setNew(limits, name, amount);
  if (!isEmpty(limits)) resources.limits = sorted(limits);
  if (isEmpty(limits)) return;

  for (const [name, amount] of Object.entries(containerResources(spec, "requests")))
    if (isPodLevelResource(name) && isOvercommitAllowed(name)) setNew(requests, name, amount);
  for (const [name, amount] of Object.entries(limits))
    if (isPodLevelResource(name)) setNew(requests, name, amount);
  if (!isEmpty(requests)) resources.requests = sorted(requests);
}

type Amounts = Record<string, string | number>;

const isEmpty = (map: object): boolean => Object.keys(map).length === 0;

function setNew(list: Amounts, name: string, amount: string | number): void {
  if (!Object.hasOwn(list, name)) setMember(list, name, amount);
}

function sorted(list: Amounts): Amounts {
  const out: Amounts = {};
  for (const name of sortedKeys(list)) setMember(out, name, list[name] as string);
  return out;
}

interface Context {
  readonly claimNames: ReadonlySet<string>;
  readonly options: PodValidationOptions;
}

/** The rules of a pod's resources as a whole; `at` is the pod's spec. */
export function validatePodResources(
  spec: PodSpec,
  at: At,
  { claimNames, options }: Context,
): void {
  const { resources } = spec;
  if (!resources) return;
  if (spec.os?.name === "windows") {
    at.forbidden("resources", "may not be set for a windows pod");
    return;
  }
  const here = at.child("resources");
  if (resources.claims)
    here.forbidden("claims", "claims may not be set for Resources at pod-level");
  validateResourceRequirements(resources, here, {
    name: validatePodResourceName,
    claimNames,
    allowIndivisibleHugePages: options.allowIndivisibleHugePagesValues,
  });
  validateConsistency(spec, resources, here);
}

/** The containers together ask for no more than the pod, and none of them may use more. */
function validateConsistency(
  spec: PodSpec,
  {
    requests = {},
    limits = {},
  }: { readonly requests?: ResourceList | undefined; readonly limits?: ResourceList | undefined },
  at: At,
): void {
  for (const [name, amount] of Object.entries(containerResources(spec, "requests"))) {
    const whole = requests[name];
    if (whole !== undefined && exceeds(amount, whole))
      at.child("requests")
        .key(name)
        .invalid(
          "",
          whole,
          `must be greater than or equal to aggregate container requests of ${amount}`,
        );
  }
  for (const [name, amount] of Object.entries(containerResources(spec, "limits"))) {
    const whole = limits[name];
    if (isHugePageResource(name) && whole !== undefined && exceeds(amount, whole))
      at.child("limits")
        .key(name)
        .invalid(
          "",
          whole,
          `must be greater than or equal to aggregate container limits of ${amount}`,
        );
  }
  for (const [i, container] of (spec.containers ?? []).entries())
    for (const [name, amount] of Object.entries(container.resources?.limits ?? {})) {
      const whole = limits[name];
      if (whole !== undefined && exceeds(amount, whole))
        at.child("containers")
          .index(i)
          .key(name)
          .invalid("limits", amount, `must be less than or equal to pod limits of ${whole}`);
    }
}
