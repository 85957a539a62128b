import {
  boolFlag,
  durationFlag,
  type Flag,
  stringFlag,
  stringsFlag,
  type Values,
} from "../../cli/flag.ts";
import { later, type ServerFlag, section } from "./server-flag.ts";

const frontProxy = <T>(flag: Flag<T>): ServerFlag<T> =>
  later("authentication by a front proxy", flag);

/** Flags of a server that delegates authentication to the API server. */
export const delegatedAuthenticationFlags = ({ tolerates }: { readonly tolerates: boolean }) =>
  section("Authentication flags", {
    "authentication-kubeconfig": stringFlag({
      usage:
        "the kubeconfig `FILE` of the API server that reviews tokens and publishes the CA of client certificates (default: the in-cluster configuration; outside of a cluster all requests are anonymous)",
    }),
    "authentication-token-webhook-cache-ttl": durationFlag({
      usage: "how long reviewed tokens are cached",
      default: 10_000,
    }),
    "authentication-skip-lookup": boolFlag({
      usage: "whether to skip looking up the CA of client certificates at the API server",
    }),
    "authentication-tolerate-lookup-failure": boolFlag({
      usage: "whether to start without client certificates if that lookup fails",
      default: tolerates,
    }),
    "client-ca-file": stringFlag({
      usage:
        "a `FILE` with CA certificates that sign client certificates, instead of the CA that the API server publishes",
    }),
    "requestheader-client-ca-file": frontProxy(
      stringFlag({ usage: "the `FILE` with the CA certificates of the proxy's certificate" }),
    ),
    "requestheader-allowed-names": frontProxy(stringsFlag({ usage: "the names of proxies" })),
    "requestheader-username-headers": frontProxy(
      stringsFlag({ usage: "headers with the user", default: ["x-remote-user"] }),
    ),
    "requestheader-uid-headers": frontProxy(stringsFlag({ usage: "headers with the user's UID" })),
    "requestheader-group-headers": frontProxy(
      stringsFlag({ usage: "headers with groups", default: ["x-remote-group"] }),
    ),
    "requestheader-extra-headers-prefix": frontProxy(
      stringsFlag({
        usage: "the prefixes of headers with more about the user",
        default: ["x-remote-extra-"],
      }),
    ),
  });

/** Flags of a server that delegates authorization to the API server. */
export const delegatedAuthorizationFlags = section("Authorization flags", {
  "authorization-kubeconfig": stringFlag({
    usage:
      "the kubeconfig `FILE` of the API server that authorizes requests (default: the in-cluster configuration; outside of a cluster only system:masters is allowed beyond the public paths)",
  }),
  "authorization-webhook-cache-authorized-ttl": durationFlag({
    usage: "how long allowed requests are cached",
    default: 10_000,
  }),
  "authorization-webhook-cache-unauthorized-ttl": durationFlag({
    usage: "how long denied requests are cached",
    default: 10_000,
  }),
  "authorization-always-allow-paths": stringsFlag({
    usage: "public paths; a path that ends with * includes all paths below it",
    default: ["/healthz", "/readyz", "/livez"],
  }),
});

export type DelegatedFlags = Values<
  ReturnType<typeof delegatedAuthenticationFlags> & typeof delegatedAuthorizationFlags
>;

/** The problems of the values, in upstream's words. */
export const delegatedProblems = (flags: DelegatedFlags): string[] =>
  flags["authorization-always-allow-paths"].flatMap((path) => {
    const bare = path.replace(/^\//, "");
    return bare.slice(0, -1).includes("*") ? [`only trailing * allowed in "${bare}"`] : [];
  });
