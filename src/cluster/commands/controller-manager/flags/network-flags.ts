import { durationFlag, intFlag } from "../../../../cli/flag.ts";
import { defaultSettings } from "../../../../controllers/controller-settings.ts";
import { section } from "../../../flags/server-flag.ts";
import { absent, told } from "./controller-flag.ts";

export const endpointsFlags = section("Endpoints-controller flags", {
  "concurrent-endpoint-syncs": told(
    "concurrentEndpointSyncs",
    "EndpointController.ConcurrentEndpointSyncs",
    intFlag({
      usage: "how many services' Endpoints are worked on at a time",
      default: defaultSettings.concurrentEndpointSyncs,
    }),
  ),
  "endpoint-updates-batch-period": told(
    "endpointUpdatesBatchPeriodMs",
    "EndpointController.EndpointUpdatesBatchPeriod",
    durationFlag({
      usage: "how long changes of pods are collected before Endpoints follow",
      default: defaultSettings.endpointUpdatesBatchPeriodMs,
    }),
  ),
});

export const endpointSliceFlags = section("Endpointslice-controller flags", {
  "concurrent-service-endpoint-syncs": told(
    "concurrentServiceEndpointSyncs",
    "EndpointSliceController.ConcurrentServiceEndpointSyncs",
    intFlag({
      usage: "how many services' slices are worked on at a time, 1 to 50",
      default: defaultSettings.concurrentServiceEndpointSyncs,
    }),
  ),
  "max-endpoints-per-slice": told(
    "maxEndpointsPerSlice",
    "EndpointSliceController.MaxEndpointsPerSlice",
    intFlag({
      usage: "how many endpoints a slice holds at most, 1 to 1000",
      default: defaultSettings.maxEndpointsPerSlice,
    }),
  ),
  "endpointslice-updates-batch-period": told(
    "endpointSliceUpdatesBatchPeriodMs",
    "EndpointSliceController.EndpointUpdatesBatchPeriod",
    durationFlag({
      usage: "how long changes of pods are collected before slices follow",
      default: defaultSettings.endpointSliceUpdatesBatchPeriodMs,
    }),
  ),
});

export const mirroringFlags = section("Endpointslice-mirroring-controller flags", {
  "mirroring-concurrent-service-endpoint-syncs": told(
    "concurrentMirroringSyncs",
    "EndpointSliceMirroringController.MirroringConcurrentServiceEndpointSyncs",
    intFlag({
      usage: "how many Endpoints are mirrored at a time, 1 to 50",
      default: defaultSettings.concurrentMirroringSyncs,
    }),
  ),
  "mirroring-max-endpoints-per-subset": told(
    "maxMirroredEndpointsPerSubset",
    "EndpointSliceMirroringController.MirroringMaxEndpointsPerSubset",
    intFlag({
      usage: "how many endpoints of a subset are mirrored at most, 1 to 1000",
      default: defaultSettings.maxMirroredEndpointsPerSubset,
    }),
  ),
  "mirroring-endpointslice-updates-batch-period": told(
    "mirroringBatchPeriodMs",
    "EndpointSliceMirroringController.MirroringEndpointUpdatesBatchPeriod",
    durationFlag({
      usage: "how long changes are collected before slices follow",
      default: defaultSettings.mirroringBatchPeriodMs,
    }),
  ),
});

export const serviceFlags = section("Service-lb-controller flags", {
  "concurrent-service-syncs": absent(
    "service-lb-controller",
    "ServiceController.ConcurrentServiceSyncs",
    intFlag({ usage: "how many services get load balancers at a time", default: 1 }),
  ),
});
