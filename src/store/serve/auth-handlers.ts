import { type GrpcHandler, unaryHandler } from "../../platform/grpc/grpc-server.ts";
import { etcdErrors } from "./etcd-errors.ts";
import { headerOf } from "./header.ts";
import type { Served } from "./kv-handlers.ts";
import { plainMethod } from "./plain-method.ts";

/** The read-only methods of the service; others would enable authentication. */
const asks = ["AuthDisable", "AuthStatus", "UserList", "RoleList"];

/**
 * etcd's Auth service with authentication disabled: there are no users and roles. Certificates decide
 * about access before a call arrives here.
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
