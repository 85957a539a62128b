import { list, string, value } from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import {
  defaultAllocation,
  deviceSubRequest,
  requestFields,
  type DeviceRequest as StoredRequest,
} from "../v1/device-request.ts";
import { deviceClaim, type ResourceClaimSpec as StoredSpec } from "../v1/resource-claim-spec.ts";

const line = requestFields("v1beta1");

export const DeviceRequest = struct("io.k8s.api.resource.v1beta1.DeviceRequest", {
  name: string(1).always().expected().doc("What the request is called."),
  deviceClassName: line.deviceClassName(2),
  selectors: line.selectors(3),
  allocationMode: line.allocationMode(4),
  count: line.count(5),
  adminAccess: line.adminAccess(6),
  firstAvailable: list(7, deviceSubRequest("v1beta1"))
    .atomic()
    .doc("Alternatives, of which the first that can be had is taken."),
  tolerations: line.tolerations(8),
  capacity: line.capacity(9),
})
  .defaults((request) => {
    // Without a class, there are alternatives.
    if (request.deviceClassName) defaultAllocation(request);
  })
  .doc("Asks for devices for one purpose.");
export interface DeviceRequest extends Infer<typeof DeviceRequest> {}

export const ResourceClaimSpec = struct("io.k8s.api.resource.v1beta1.ResourceClaimSpec", {
  devices: value(1, deviceClaim("v1beta1", DeviceRequest)).doc("The devices."),
}).doc("What a claim asks for.");
export interface ResourceClaimSpec extends Infer<typeof ResourceClaimSpec> {}

/** What a claim asks for, as it is stored. */
export const toStoredSpec = ({ devices }: ResourceClaimSpec): StoredSpec => ({
  devices: { ...devices, requests: devices.requests?.map(toStoredRequest) },
});

export const fromStoredSpec = ({ devices }: StoredSpec): ResourceClaimSpec => ({
  devices: { ...devices, requests: devices.requests?.map(fromStoredRequest) },
});

function toStoredRequest(request: DeviceRequest): StoredRequest {
  const { name, firstAvailable, ...devices } = request;
  const isExact = Object.values(devices).some(
    (given) => given !== undefined && given !== null && given !== "" && given !== 0,
  );
  return { name, exactly: isExact ? devices : undefined, firstAvailable };
}

function fromStoredRequest({ name, exactly, firstAvailable }: StoredRequest): DeviceRequest {
  return { name, deviceClassName: "", ...exactly, firstAvailable };
}
