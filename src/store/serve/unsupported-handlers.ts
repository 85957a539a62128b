import { type GrpcHandler, unaryHandler } from "../../platform/grpc/grpc-server.ts";
import { etcdErrors } from "./etcd-errors.ts";
import { plainMethod } from "./plain-method.ts";

/** Methods of etcd that are not supported, with an alternative. */
const unsupported: readonly {
  readonly what: string;
  readonly service: string;
  readonly methods: readonly string[];
}[] = [
  {
    what: "users and roles: who may call it is decided by certificates (--etcd-listen-client-ca-file)",
    service: "etcdserverpb.Auth",
    methods: [
      ...["AuthEnable", "UserAdd", "UserGet", "UserDelete", "UserChangePassword"],
      ...["UserGrantRole", "UserRevokeRole"],
      ...["RoleAdd", "RoleGet", "RoleDelete", "RoleGrantPermission", "RoleRevokePermission"],
    ],
  },
  {
    what: "other members: for more than one machine, keep the store in an etcd (--etcd-servers)",
    service: "etcdserverpb.Cluster",
    methods: ["MemberAdd", "MemberRemove", "MemberUpdate", "MemberPromote"],
  },
  {
    what: "other members: there is no leader to move",
    service: "etcdserverpb.Maintenance",
    methods: ["MoveLeader"],
  },
  {
    what: "older version to go back to",
    service: "etcdserverpb.Maintenance",
    methods: ["Downgrade"],
  },
  {
    what: 'locks of its own: clients make them of keys and leases, as "etcdctl lock" does',
    service: "v3lockpb.Lock",
    methods: ["Lock", "Unlock"],
  },
  {
    what: 'elections of its own: clients make them of keys and leases, as "etcdctl elect" does',
    service: "v3electionpb.Election",
    methods: ["Campaign", "Proclaim", "Leader", "Observe", "Resign"],
  },
];

/** Rejects unsupported methods with an explanation. */
export const unsupportedHandlers: readonly GrpcHandler[] = unsupported.flatMap(
  ({ what, service, methods }) =>
    methods.map((name) =>
      unaryHandler(plainMethod(`${service}/${name}`), async () => {
        throw etcdErrors.notSupported(what);
      }),
    ),
);
