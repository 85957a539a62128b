import {
  field,
  int64,
  type MessageOf,
  maybe,
  message,
  names,
  nested,
  repeated,
  text,
} from "../../base/protobuf-message.ts";

// The API of drivers of claims, with upstream's names and numbers: v1, and v1beta1, which has no shares. A map from
// UIDs to messages is a list of entries on the wire.

const Claim = message({ namespace: field(1, text), uid: field(2, text), name: field(3, text) });

const Device = message({
  request_names: repeated(1, text),
  pool_name: field(2, text),
  device_name: field(3, text),
  cdi_device_ids: repeated(4, text),
  share_id: maybe(5, text),
});
export type DeviceMessage = MessageOf<typeof Device>;

export const NodePrepareResourcesRequest = message({ claims: repeated(1, nested(Claim)) });

const PrepareResult = message({ devices: repeated(1, nested(Device)), error: field(2, text) });
export const NodePrepareResourcesResponse = message({
  claims: repeated(
    1,
    nested(message({ key: field(1, text), value: maybe(2, nested(PrepareResult)) })),
  ),
});

export const NodeUnprepareResourcesRequest = message({ claims: repeated(1, nested(Claim)) });

const UnprepareResult = message({ error: field(1, text) });
export const NodeUnprepareResourcesResponse = message({
  claims: repeated(
    1,
    nested(message({ key: field(1, text), value: maybe(2, nested(UnprepareResult)) })),
  ),
});

export const NodeWatchResourcesRequest = message({});

const DeviceHealth = message({
  device: maybe(1, nested(message({ pool_name: field(1, text), device_name: field(2, text) }))),
  health: field(2, names({ UNKNOWN: 0, HEALTHY: 1, UNHEALTHY: 2 })),
  last_updated_time: field(3, int64),
  health_check_timeout_seconds: field(4, int64),
  message: field(5, text),
});
export type DeviceHealthMessage = MessageOf<typeof DeviceHealth>;

export const NodeWatchResourcesResponse = message({ devices: repeated(1, nested(DeviceHealth)) });
