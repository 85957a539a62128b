import {
  bool,
  bytes,
  field,
  int,
  int64,
  type Message,
  type MessageOf,
  maybe,
  message,
  nested,
  repeated,
  text,
} from "../../base/protobuf-message.ts";

// The messages of etcd's v3 API, with etcd's names and numbers.

export const ResponseHeader = message({
  cluster_id: field(1, int64),
  member_id: field(2, int64),
  revision: field(3, int),
  raft_term: field(4, int),
});

export type ResponseHeader = MessageOf<typeof ResponseHeader>;

export const KeyValue = message({
  key: field(1, bytes),
  create_revision: field(2, int),
  mod_revision: field(3, int),
  version: field(4, int),
  value: field(5, bytes),
  lease: field(6, int64),
});
export type KeyValue = MessageOf<typeof KeyValue>;

export const eventTypes = { put: 0, delete: 1 } as const;
export const Event = message({
  type: field(1, int),
  kv: maybe(2, nested(KeyValue)),
  prev_kv: maybe(3, nested(KeyValue)),
});
export type Event = MessageOf<typeof Event>;

const header = maybe(1, nested(ResponseHeader));
const keyValue = nested(KeyValue);

export const sortOrders = { none: 0, ascend: 1, descend: 2 } as const;
export const sortTargets = { key: 0, version: 1, create: 2, mod: 3, value: 4 } as const;
export const RangeRequest = message({
  key: field(1, bytes),
  range_end: field(2, bytes),
  limit: field(3, int),
  revision: field(4, int),
  sort_order: field(5, int),
  sort_target: field(6, int),
  serializable: field(7, bool),
  keys_only: field(8, bool),
  count_only: field(9, bool),
  min_mod_revision: field(10, int),
  max_mod_revision: field(11, int),
  min_create_revision: field(12, int),
  max_create_revision: field(13, int),
});
export type RangeRequest = MessageOf<typeof RangeRequest>;
export const RangeResponse = message({
  header,
  kvs: repeated(2, keyValue),
  more: field(3, bool),
  count: field(4, int),
});
export type RangeResponse = MessageOf<typeof RangeResponse>;

export const PutRequest = message({
  key: field(1, bytes),
  value: field(2, bytes),
  lease: field(3, int64),
  prev_kv: field(4, bool),
  ignore_value: field(5, bool),
  ignore_lease: field(6, bool),
});
export type PutRequest = MessageOf<typeof PutRequest>;
export const PutResponse = message({ header, prev_kv: maybe(2, keyValue) });
export type PutResponse = MessageOf<typeof PutResponse>;

export const DeleteRangeRequest = message({
  key: field(1, bytes),
  range_end: field(2, bytes),
  prev_kv: field(3, bool),
});
export type DeleteRangeRequest = MessageOf<typeof DeleteRangeRequest>;
export const DeleteRangeResponse = message({
  header,
  deleted: field(2, int),
  prev_kvs: repeated(3, keyValue),
});
export type DeleteRangeResponse = MessageOf<typeof DeleteRangeResponse>;

export const compareResults = { equal: 0, greater: 1, less: 2, notEqual: 3 } as const;
export const compareTargets = { version: 0, create: 1, mod: 2, value: 3, lease: 4 } as const;
export const Compare = message({
  result: field(1, int),
  target: field(2, int),
  key: field(3, bytes),
  version: maybe(4, int),
  create_revision: maybe(5, int),
  mod_revision: maybe(6, int),
  value: maybe(7, bytes),
  lease: maybe(8, int64),
  range_end: field(64, bytes),
});
export type Compare = MessageOf<typeof Compare>;

/** One of four operations; transactions can be nested. */
export interface RequestOp {
  readonly request_range: RangeRequest | undefined;
  readonly request_put: PutRequest | undefined;
  readonly request_delete_range: DeleteRangeRequest | undefined;
  readonly request_txn: TxnRequest | undefined;
}
const RequestOp: Message<RequestOp> = message({
  request_range: maybe(1, nested(RangeRequest)),
  request_put: maybe(2, nested(PutRequest)),
  request_delete_range: maybe(3, nested(DeleteRangeRequest)),
  request_txn: maybe(
    4,
    nested(() => TxnRequest),
  ),
});
export interface TxnRequest {
  readonly compare: readonly Compare[];
  readonly success: readonly RequestOp[];
  readonly failure: readonly RequestOp[];
}
export const TxnRequest: Message<TxnRequest> = message({
  compare: repeated(1, nested(Compare)),
  success: repeated(2, nested(RequestOp)),
  failure: repeated(3, nested(RequestOp)),
});

export interface ResponseOp {
  readonly response_range: RangeResponse | undefined;
  readonly response_put: PutResponse | undefined;
  readonly response_delete_range: DeleteRangeResponse | undefined;
  readonly response_txn: TxnResponse | undefined;
}
const ResponseOp: Message<ResponseOp> = message({
  response_range: maybe(1, nested(RangeResponse)),
  response_put: maybe(2, nested(PutResponse)),
  response_delete_range: maybe(3, nested(DeleteRangeResponse)),
  response_txn: maybe(
    4,
    nested(() => TxnResponse),
  ),
});
export interface TxnResponse {
  readonly header: ResponseHeader | undefined;
  readonly succeeded: boolean;
  readonly responses: readonly ResponseOp[];
}
export const TxnResponse: Message<TxnResponse> = message({
  header,
  succeeded: field(2, bool),
  responses: repeated(3, nested(ResponseOp)),
});

export const CompactionRequest = message({ revision: field(1, int), physical: field(2, bool) });
export const CompactionResponse = message({ header });

export const watchFilters = { noPut: 0, noDelete: 1 } as const;
export const WatchCreateRequest = message({
  key: field(1, bytes),
  range_end: field(2, bytes),
  start_revision: field(3, int),
  progress_notify: field(4, bool),
  filters: repeated(5, int),
  prev_kv: field(6, bool),
  watch_id: field(7, int),
  fragment: field(8, bool),
});
export type WatchCreateRequest = MessageOf<typeof WatchCreateRequest>;
const WatchCancelRequest = message({ watch_id: field(1, int) });
const WatchProgressRequest = message({});
export const WatchRequest = message({
  create_request: maybe(1, nested(WatchCreateRequest)),
  cancel_request: maybe(2, nested(WatchCancelRequest)),
  progress_request: maybe(3, nested(WatchProgressRequest)),
});
export type WatchRequest = MessageOf<typeof WatchRequest>;
export const WatchResponse = message({
  header,
  watch_id: field(2, int),
  created: field(3, bool),
  canceled: field(4, bool),
  compact_revision: field(5, int),
  cancel_reason: field(6, text),
  fragment: field(7, bool),
  events: repeated(11, nested(Event)),
});
export type WatchResponse = MessageOf<typeof WatchResponse>;

export const LeaseGrantRequest = message({ TTL: field(1, int), ID: field(2, int64) });
export const LeaseGrantResponse = message({
  header,
  ID: field(2, int64),
  TTL: field(3, int),
  error: field(4, text),
});
export const LeaseRevokeRequest = message({ ID: field(1, int64) });
export const LeaseRevokeResponse = message({ header });
export const LeaseKeepAliveRequest = message({ ID: field(1, int64) });
export const LeaseKeepAliveResponse = message({ header, ID: field(2, int64), TTL: field(3, int) });
export const LeaseTimeToLiveRequest = message({ ID: field(1, int64), keys: field(2, bool) });
export const LeaseTimeToLiveResponse = message({
  header,
  ID: field(2, int64),
  TTL: field(3, int),
  grantedTTL: field(4, int),
  keys: repeated(5, bytes),
});
export const LeaseLeasesRequest = message({});
export const LeaseLeasesResponse = message({
  header,
  leases: repeated(2, nested(message({ ID: field(1, int64) }))),
});

export const StatusRequest = message({});
export const StatusResponse = message({
  header,
  version: field(2, text),
  dbSize: field(3, int),
  leader: field(4, int64),
  raftIndex: field(5, int),
  raftTerm: field(6, int),
  raftAppliedIndex: field(7, int),
  errors: repeated(8, text),
  dbSizeInUse: field(9, int),
  isLearner: field(10, bool),
});
export const alarmActions = { get: 0, activate: 1, deactivate: 2 } as const;
export const AlarmRequest = message({
  action: field(1, int),
  memberID: field(2, int64),
  alarm: field(3, int),
});
export const AlarmResponse = message({
  header,
  alarms: repeated(2, nested(message({ memberID: field(1, int64), alarm: field(2, int) }))),
});
export const DefragmentRequest = message({});
export const DefragmentResponse = message({ header });
export const HashRequest = message({});
export const HashResponse = message({ header, hash: field(2, int) });
export const HashKVRequest = message({ revision: field(1, int) });
export const HashKVResponse = message({
  header,
  hash: field(2, int),
  compact_revision: field(3, int),
});
export const SnapshotRequest = message({});
export const SnapshotResponse = message({
  header,
  remaining_bytes: field(2, int),
  blob: field(3, bytes),
});

export const MemberListRequest = message({ linearizable: field(1, bool) });
export const MemberListResponse = message({
  header,
  members: repeated(
    2,
    nested(
      message({
        ID: field(1, int64),
        name: field(2, text),
        peerURLs: repeated(3, text),
        clientURLs: repeated(4, text),
        isLearner: field(5, bool),
      }),
    ),
  ),
});
