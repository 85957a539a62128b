import {
  AllocateRequest,
  AllocateResponse,
  DevicePluginOptions,
  Empty,
  ListAndWatchResponse,
  PreferredAllocationRequest,
  PreferredAllocationResponse,
  PreStartContainerRequest,
  PreStartContainerResponse,
  RegisterRequest,
} from "../../devices/device-messages.ts";
import { serviceMethods } from "../plugins/plugin-client.ts";

/** The version of the API of device plugins. */
export const deviceApiVersion = "v1beta1";

const method = serviceMethods(`${deviceApiVersion}.DevicePlugin`);

/** The method by which a device plugin registers at a kubelet. */
export const registerMethod = serviceMethods(`${deviceApiVersion}.Registration`)(
  "Register",
  RegisterRequest,
  Empty,
);

/** The methods of a device plugin. */
export const deviceMethods = {
  getOptions: method("GetDevicePluginOptions", Empty, DevicePluginOptions),
  listAndWatch: method("ListAndWatch", Empty, ListAndWatchResponse),
  getPreferredAllocation: method(
    "GetPreferredAllocation",
    PreferredAllocationRequest,
    PreferredAllocationResponse,
  ),
  allocate: method("Allocate", AllocateRequest, AllocateResponse),
  preStartContainer: method(
    "PreStartContainer",
    PreStartContainerRequest,
    PreStartContainerResponse,
  ),
};
