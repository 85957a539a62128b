import type { Message } from "../../base/protobuf-message.ts";
import type { GrpcMethod } from "../../platform/grpc/grpc-method.ts";
import * as etcd from "./etcd-messages.ts";

const method = <I, O>(
  path: string,
  request: Message<I>,
  response: Message<O>,
): GrpcMethod<I, O> => ({ path: `/etcdserverpb.${path}`, request, response });

/** The methods of etcd's v3 API that are called or served here. */
export const etcdMethods = {
  range: method("KV/Range", etcd.RangeRequest, etcd.RangeResponse),
  put: method("KV/Put", etcd.PutRequest, etcd.PutResponse),
  deleteRange: method("KV/DeleteRange", etcd.DeleteRangeRequest, etcd.DeleteRangeResponse),
  txn: method("KV/Txn", etcd.TxnRequest, etcd.TxnResponse),
  compact: method("KV/Compact", etcd.CompactionRequest, etcd.CompactionResponse),
  watch: method("Watch/Watch", etcd.WatchRequest, etcd.WatchResponse),
  leaseGrant: method("Lease/LeaseGrant", etcd.LeaseGrantRequest, etcd.LeaseGrantResponse),
  leaseRevoke: method("Lease/LeaseRevoke", etcd.LeaseRevokeRequest, etcd.LeaseRevokeResponse),
  leaseKeepAlive: method(
    "Lease/LeaseKeepAlive",
    etcd.LeaseKeepAliveRequest,
    etcd.LeaseKeepAliveResponse,
  ),
  leaseTimeToLive: method(
    "Lease/LeaseTimeToLive",
    etcd.LeaseTimeToLiveRequest,
    etcd.LeaseTimeToLiveResponse,
  ),
  leaseLeases: method("Lease/LeaseLeases", etcd.LeaseLeasesRequest, etcd.LeaseLeasesResponse),
  status: method("Maintenance/Status", etcd.StatusRequest, etcd.StatusResponse),
  alarm: method("Maintenance/Alarm", etcd.AlarmRequest, etcd.AlarmResponse),
  defragment: method("Maintenance/Defragment", etcd.DefragmentRequest, etcd.DefragmentResponse),
  hash: method("Maintenance/Hash", etcd.HashRequest, etcd.HashResponse),
  hashKV: method("Maintenance/HashKV", etcd.HashKVRequest, etcd.HashKVResponse),
  snapshot: method("Maintenance/Snapshot", etcd.SnapshotRequest, etcd.SnapshotResponse),
  memberList: method("Cluster/MemberList", etcd.MemberListRequest, etcd.MemberListResponse),
} as const;
