import type { At } from "../../../schema/language/report.ts";
import { sameValue } from "../../../schema/language/validate.ts";
import { isLongName, isLongNameCaseless } from "../../../schema/values/names.ts";
import { type Condition, validateConditions } from "../../meta/v1/condition.ts";
import { internalForm } from "../../meta/v1/internal-form.ts";
import { byteLength, validateItems } from "../v1/bounded.ts";
import {
  type PoolStatus,
  type ResourcePoolStatusRequestSpec,
  ResourcePoolStatusRequestStatus,
} from "./resource-pool-status-request-spec.ts";

const maxLimit = 1000;
const maxPools = 1000;
const maxConditions = 10;
const maxError = 256;

export function validateRequestSpec(
  { driver, poolName, limit }: ResourcePoolStatusRequestSpec,
  at: At,
): void {
  validateDriver(driver, at.child("driver"));
  if (poolName !== undefined) validatePoolName(poolName, at.child("poolName"));
  if (limit > maxLimit) at.invalid("limit", limit, `must be less than or equal to ${maxLimit}`);
  validateMinimum("limit", limit, { at, min: 1 });
}

type Status = ResourcePoolStatusRequestStatus | undefined;

/** An answer is given once, and complete. */
export function validateRequestStatus(status: Status, at: At, old: Status): void {
  if (sameValue(status, old)) return;
  if (old) {
    const shown = status ? internalForm(ResourcePoolStatusRequestStatus, status) : null;
    at.invalid("", shown, "field is immutable");
  } else if (status) validateConditions(status.conditions, at.child("conditions"));
  if (status) validateAnswer(status, at, old);
}

/** What has not changed is not looked at again. */
function validateAnswer(
  { poolCount, pools, conditions = [] }: ResourcePoolStatusRequestStatus,
  at: At,
  old: Status,
): void {
  if (poolCount === undefined) at.required("poolCount");
  else if (poolCount !== old?.poolCount) validateMinimum("poolCount", poolCount, { at, min: 0 });
  if (!sameValue(pools, old?.pools))
    validateItems(pools, at.child("pools"), { max: maxPools, item: validatePool });
  if (!sameValue(conditions, old?.conditions)) validateUnique(conditions, at.child("conditions"));
}

function validateUnique(conditions: readonly Condition[], at: At): void {
  if (conditions.length > maxConditions) {
    at.tooMany("", conditions.length, maxConditions);
    return;
  }
  for (const [i, condition] of conditions.entries())
    if (conditions.findIndex(({ type }) => type === condition.type) < i)
      at.index(i).duplicate("", condition);
}

function validatePool(pool: PoolStatus, at: At): void {
  validateDriver(pool.driver, at.child("driver"));
  if (!pool.poolName) at.required("poolName");
  else validatePoolName(pool.poolName, at.child("poolName"));
  if (pool.generation === 0) at.required("generation");
  else validateMinimum("generation", pool.generation, { at, min: 0 });
  validateMinimum("resourceSliceCount", pool.resourceSliceCount, { at, min: 1 });
  for (const field of counts) validateMinimum(field, pool[field], { at, min: 0 });
  if (pool.nodeName !== undefined)
    at.invalidEach("nodeName", pool.nodeName, isLongName(pool.nodeName));
  if (byteLength(pool.validationError ?? "") > maxError) at.tooLong("validationError", maxError);
}

const counts = [
  "totalDevices",
  "allocatedDevices",
  "availableDevices",
  "unavailableDevices",
] as const;

function validateDriver(driver: string, at: At): void {
  if (!driver) at.required();
  else at.invalidEach("", driver, isLongNameCaseless(driver));
}

/** As declarative validation words it: each segment is told by its number. */
function validatePoolName(name: string, at: At): void {
  if (byteLength(name) > 253) at.tooLong("", 253);
  for (const [i, segment] of name.split("/").entries())
    if (segment === "") at.invalid("", name, `segment ${i}: must not be empty`);
    else
      for (const message of isLongName(segment))
        at.invalid("", segment, `segment ${i}: ${message}`);
}

function validateMinimum(
  field: string,
  value: number | undefined,
  { at, min }: { readonly at: At; readonly min: number },
): void {
  if (value !== undefined && value < min)
    at.invalid(field, value, `must be greater than or equal to ${min}`);
}
