import { type GrpcHandler, unaryHandler } from "../../platform/grpc/grpc-server.ts";
import { etcdErrors } from "./etcd-errors.ts";
import { headerOf } from "./header.ts";
import type { Served } from "./kv-handlers.ts";
import { plainMethod } from "./plain-method.ts";

/** What of the service says how things stand; the rest would change it. */
const asks = ["AuthDisable", "AuthStatus", "UserList", "RoleList"];

/**
 * etcd's service Auth as it is where nobody has to log in: there are no users and no roles. Who is
 * heard is decided by certificates, before.
 */
export function authHandlers({ store, member }: Pick<Served, "store" | "member">): GrpcHandler[] {
  return [
    ...asks.map((name) =>
      unaryHandler(plainMethod(`etcdserverpb.Auth/${name}`), async () => ({
        header: headerOf(member, store.view().revision),
      })),
    ),
    unaryHandler(plainMethod("etcdserverpb.Auth/Authenticate"), async () => {
      throw etcdErrors.authNotEnabled();
    }),
  ];
}
