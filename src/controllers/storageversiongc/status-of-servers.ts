import type {
  StorageVersion,
  StorageVersionCondition,
  StorageVersionStatus,
} from "../../api/apiserverinternal/v1alpha1/storage-version.ts";
import { formatTime, timeFromMillis } from "../../schema/values/time.ts";

const type = "AllEncodingVersionsEqual";

/**
 * The status with what the given servers say alone: the same value if no other server is in it, and undefined if
 * none is left.
 */
export function statusOfServers(
  { metadata, status }: Pick<StorageVersion, "metadata" | "status">,
  servers: ReadonlySet<string>,
  now: number,
): StorageVersionStatus | undefined {
  const { storageVersions = [], commonEncodingVersion: oldCommon, conditions = [] } = status;
  const left = storageVersions.filter(({ apiServerID = "" }) => servers.has(apiServerID));
  if (left.length === storageVersions.length) return status;
  const [first] = left;
  if (!first) return undefined;
  const { encodingVersion = "" } = first;
  const isCommon = left.every((one) => (one.encodingVersion ?? "") === encodingVersion);
  const old = conditions.find((condition) => condition.type === type);
  const hasChanged =
    old?.status !== statusOf(isCommon) || (isCommon && oldCommon && oldCommon !== encodingVersion);
  const condition: StorageVersionCondition = {
    type,
    status: statusOf(isCommon),
    observedGeneration: metadata.generation,
    lastTransitionTime: hasChanged ? formatTime(timeFromMillis(now)) : old?.lastTransitionTime,
    ...(isCommon
      ? { reason: "CommonEncodingVersionSet", message: "Common encoding version set" }
      : { reason: "CommonEncodingVersionUnset", message: "Common encoding version unset" }),
  };
  return {
    storageVersions: left,
    commonEncodingVersion: isCommon ? encodingVersion : undefined,
    conditions: old
      ? conditions.map((one) => (one === old ? condition : one))
      : [...conditions, condition],
  };
}

const statusOf = (isCommon: boolean): string => (isCommon ? "True" : "False");
