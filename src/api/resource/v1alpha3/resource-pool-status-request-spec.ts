import { int32, int64, list, string } from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { Condition } from "../../meta/v1/condition.ts";

export const ResourcePoolStatusRequestSpec = struct(
  "io.k8s.api.resource.v1alpha3.ResourcePoolStatusRequestSpec",
  {
    driver: string(1).always().expected().doc("The driver whose pools are asked about."),
    poolName: string(2).pointer().doc("The only pool that is asked about; none for all."),
    limit: int32(3).pointer().default(100).doc("How many pools the answer has at most."),
  },
).doc("Which pools are asked about.");
export interface ResourcePoolStatusRequestSpec
  extends Infer<typeof ResourcePoolStatusRequestSpec> {}

export const PoolStatus = struct("io.k8s.api.resource.v1alpha3.PoolStatus", {
  driver: string(1).expected().doc("The driver that has the pool."),
  poolName: string(2).expected().doc("What the pool is called."),
  generation: int64(9).always().expected().doc("The generation that was looked at."),
  resourceSliceCount: int32(8).pointer().doc("How many slices the pool has."),
  totalDevices: int32(4).pointer().doc("How many devices it has."),
  allocatedDevices: int32(5).pointer().doc("How many of them claims have."),
  availableDevices: int32(6).pointer().doc("How many of them can be had."),
  unavailableDevices: int32(7).pointer().doc("How many of them taints keep away."),
  nodeName: string(3).pointer().doc("The node that the pool belongs to."),
  validationError: string(10).pointer().doc("Why the pool cannot be counted."),
}).doc("What is known of a pool.");
export interface PoolStatus extends Infer<typeof PoolStatus> {}

export const ResourcePoolStatusRequestStatus = struct(
  "io.k8s.api.resource.v1alpha3.ResourcePoolStatusRequestStatus",
  {
    poolCount: int32(6).pointer().expected().doc("How many pools there are that were meant."),
    pools: list(2, PoolStatus).atomic().doc("The pools, as many as were asked for."),
    conditions: list(3, Condition).keyedBy("type").doc("Whether the answer is complete."),
  },
).doc("The answer to a request.");
export interface ResourcePoolStatusRequestStatus
  extends Infer<typeof ResourcePoolStatusRequestStatus> {}
