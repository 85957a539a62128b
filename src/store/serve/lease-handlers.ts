import { type GrpcHandler, streamHandler, unaryHandler } from "../../platform/grpc/grpc-server.ts";
import { etcdMethods } from "../etcd/etcd-methods.ts";
import { headerOf } from "./header.ts";
import { bytesOf } from "./key-bytes.ts";
import { type Served, translated } from "./kv-handlers.ts";

/** etcd's Lease service. */
export function leaseHandlers({ store, leases, member }: Served): GrpcHandler[] {
  const header = () => headerOf(member, store.view().revision);
  return [
    unaryHandler(etcdMethods.leaseGrant, async ({ ID, TTL }) => {
      const { id, ttl } = leases.grant(ID, TTL);
      return { header: header(), ID: id, TTL: ttl };
    }),
    unaryHandler(etcdMethods.leaseRevoke, async ({ ID }) =>
      translated(async () => ({ header: headerOf(member, await leases.revoke(ID)) })),
    ),
    streamHandler(etcdMethods.leaseKeepAlive, async (requests, { send }) => {
      for await (const { ID } of requests) {
        // Take the header first: if the lease expires meanwhile, that is a later revision.
        const answer = { header: header(), ID };
        await send({ ...answer, TTL: leases.renew(ID)?.ttl ?? 0 });
      }
    }),
    unaryHandler(etcdMethods.leaseTimeToLive, async ({ ID, keys }) => {
      const lease = leases.lookup(ID);
      if (!lease) return { header: header(), ID, TTL: -1 };
      const attached = keys ? leases.keys(lease, store.view()) : [];
      return {
        header: header(),
        ID,
        TTL: leases.remaining(lease),
        grantedTTL: lease.ttl,
        keys: attached.map(bytesOf),
      };
    }),
    unaryHandler(etcdMethods.leaseLeases, async () => ({
      header: header(),
      leases: leases.all().map(({ id }) => ({ ID: id })),
    })),
  ];
}
