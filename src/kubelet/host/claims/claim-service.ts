import {
  NodePrepareResourcesRequest,
  NodePrepareResourcesResponse,
  NodeUnprepareResourcesRequest,
  NodeUnprepareResourcesResponse,
  NodeWatchResourcesRequest,
  NodeWatchResourcesResponse,
} from "../../claims/claim-messages.ts";
import { serviceMethods } from "../plugins/plugin-client.ts";

function driverMethods(version: string) {
  const method = serviceMethods(`k8s.io.kubelet.pkg.apis.dra.${version}.DRAPlugin`);
  return {
    prepare: method(
      "NodePrepareResources",
      NodePrepareResourcesRequest,
      NodePrepareResourcesResponse,
    ),
    unprepare: method(
      "NodeUnprepareResources",
      NodeUnprepareResourcesRequest,
      NodeUnprepareResourcesResponse,
    ),
  };
}

export type DriverMethods = ReturnType<typeof driverMethods>;

/** The methods of the services by which drivers are called, by the names that drivers register. */
export const driverServices: ReadonlyMap<string, DriverMethods> = new Map([
  ["v1.DRAPlugin", driverMethods("v1")],
  ["v1beta1.DRAPlugin", driverMethods("v1beta1")],
]);

/** The method by which drivers tell of the health of their devices. */
export const watchResourcesMethod = serviceMethods("v1alpha1.DRAResourceHealth")(
  "NodeWatchResources",
  NodeWatchResourcesRequest,
  NodeWatchResourcesResponse,
);
