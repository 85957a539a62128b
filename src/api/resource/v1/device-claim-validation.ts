import type { At } from "../../../schema/language/report.ts";
import { isDns1123Subdomain } from "../../../schema/values/names.ts";
import { validateItems, validateSet } from "./bounded.ts";
import { maxConfigurations, validateDeviceConfiguration } from "./device-configuration.ts";
import type { DeviceRequest, DeviceSubRequest, ExactDeviceRequest } from "./device-request.ts";
import { validateSelectors } from "./device-selector.ts";
import { validateDeviceToleration } from "./device-taint.ts";
import type { DeviceClaim, DeviceConstraint } from "./resource-claim-spec.ts";
import { validateFullyQualifiedName, validateShortName } from "./resource-names.ts";

const maxRequests = 32;
const maxConstraints = 32;
const maxAlternatives = 8;

/** The names of the requests of a claim, each with those of its alternatives. */
export type RequestNames = ReadonlyMap<string, ReadonlySet<string>>;

export const requestNamesOf = ({ requests }: DeviceClaim): RequestNames =>
  new Map(
    (requests ?? []).map(({ name, firstAvailable = [] }) => [
      name,
      new Set(firstAvailable.map((alternative) => alternative.name)),
    ]),
  );

/** The rules of what a claim asks for. */
export function validateDeviceClaim(claim: DeviceClaim, at: At): void {
  const names = requestNamesOf(claim);
  validateSet(claim.requests, at.child("requests"), {
    max: maxRequests,
    item: validateRequest,
    key: ({ name }) => name,
  });
  validateItems(claim.constraints, at.child("constraints"), {
    max: maxConstraints,
    item: (constraint, here) => validateConstraint(constraint, here, names),
  });
  validateItems(claim.config, at.child("config"), {
    max: maxConfigurations,
    item(config, here) {
      validateRequestNames(config.requests, here.child("requests"), names);
      validateDeviceConfiguration(config, here);
    },
  });
}

/** Names of requests, each of which the claim has, and none of them twice. */
export function validateRequestNames(
  requests: readonly string[] | undefined,
  at: At,
  names: RequestNames,
): void {
  validateSet(requests, at, {
    max: maxRequests,
    item: (name, here) => validateRequestName(name, here, names),
    key: (name) => name,
  });
}

/** `request`, or `request/alternative`. */
export function validateRequestName(name: string, at: At, names: RequestNames): void {
  const unknown =
    "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
  const segments = name.split("/");
  if (segments.length > 2) {
    at.invalid("", name, unknown);
    return;
  }
  for (const segment of segments) validateShortName(segment, at);
  const [request = "", alternative] = segments;
  const alternatives = names.get(request);
  if (!alternatives || (alternative !== undefined && !alternatives.has(alternative)))
    at.invalid("", name, unknown);
}

function validateRequest({ name, exactly, firstAvailable = [] }: DeviceRequest, at: At): void {
  const problem = "exactly one of `exactly` or `firstAvailable` is required";
  validateShortName(name, at.child("name"));
  if (exactly && firstAvailable.length > 0)
    at.invalid("", null, `${problem}, but multiple fields are set`);
  else if (exactly) validateDevices(exactly, at.child("exactly"));
  else if (firstAvailable.length > 0)
    validateSet(firstAvailable, at.child("firstAvailable"), {
      max: maxAlternatives,
      item(alternative, here) {
        validateShortName(alternative.name, here.child("name"));
        validateDevices(alternative, here);
      },
      key: (alternative) => alternative.name,
    });
  else at.required("", problem);
}

function validateDevices(request: ExactDeviceRequest | DeviceSubRequest, at: At): void {
  const { deviceClassName, tolerations = [] } = request;
  if (!deviceClassName) at.required("deviceClassName");
  else at.invalidEach("deviceClassName", deviceClassName, isDns1123Subdomain(deviceClassName));
  validateSelectors(request.selectors, at.child("selectors"));
  validateAllocationMode(request, at);
  for (const [i, toleration] of tolerations.entries())
    validateDeviceToleration(toleration, at.child("tolerations").index(i));
}

function validateAllocationMode(
  { allocationMode = "", count = 0 }: ExactDeviceRequest | DeviceSubRequest,
  at: At,
): void {
  if (allocationMode === "All") {
    if (count !== 0)
      at.invalid("count", count, "must not be specified when allocationMode is 'All'");
  } else if (allocationMode === "ExactCount") {
    if (count <= 0) at.invalid("count", count, "must be greater than zero");
  } else at.notSupported("allocationMode", allocationMode, ["All", "ExactCount"]);
}

function validateConstraint(
  { requests, matchAttribute, distinctAttribute }: DeviceConstraint,
  at: At,
  names: RequestNames,
): void {
  validateRequestNames(requests, at.child("requests"), names);
  if (matchAttribute !== undefined)
    validateFullyQualifiedName(matchAttribute, at.child("matchAttribute"));
  else if (distinctAttribute !== undefined)
    validateFullyQualifiedName(distinctAttribute, at.child("distinctAttribute"));
  else
    at.required(
      "",
      'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set',
    );
}
