import type { FrontProxies } from "../../apiserver/authentication/front-proxy.ts";
import { boolFlag, durationFlag, stringFlag, stringsFlag, type Values } from "../../cli/flag.ts";
import { section } from "./server-flag.ts";

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
    "requestheader-client-ca-file": stringFlag({
      usage:
        "a `FILE` with CA certificates of front proxies, which name the user of a request in its headers, instead of those that the API server publishes",
    }),
    "requestheader-allowed-names": stringsFlag({
      usage: "the common names of front proxies, if their CA is given (default: any)",
    }),
    "requestheader-username-headers": stringsFlag({
      usage: "headers with the user, if the CA of front proxies is given",
      default: ["x-remote-user"],
    }),
    "requestheader-uid-headers": stringsFlag({
      usage: "headers with the user's UID, if the CA of front proxies is given",
    }),
    "requestheader-group-headers": stringsFlag({
      usage: "headers with groups, if the CA of front proxies is given",
      default: ["x-remote-group"],
    }),
    "requestheader-extra-headers-prefix": stringsFlag({
      usage:
        "the prefixes of headers with more about the user, if the CA of front proxies is given",
      default: ["x-remote-extra-"],
    }),
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

/** The front proxies that the flags name; undefined without a CA: those that the API server publishes are known then. */
export const givenFrontProxies = (flags: DelegatedFlags): FrontProxies | undefined =>
  flags["requestheader-client-ca-file"] === ""
    ? undefined
    : {
        allowedNames: flags["requestheader-allowed-names"],
        usernameHeaders: flags["requestheader-username-headers"],
        uidHeaders: flags["requestheader-uid-headers"],
        groupHeaders: flags["requestheader-group-headers"],
        extraHeadersPrefix: flags["requestheader-extra-headers-prefix"],
      };

const headerFlags = [
  "requestheader-username-headers",
  "requestheader-uid-headers",
  "requestheader-group-headers",
  "requestheader-extra-headers-prefix",
] as const;

/** The problems of the values, in upstream's words. */
export const delegatedProblems = (flags: DelegatedFlags): string[] => [
  ...headerFlags.flatMap((flag) =>
    flags[flag].some((name) => name.trim() === "") ? [`empty value in "${flag}"`] : [],
  ),
  ...flags["authorization-always-allow-paths"].flatMap((path) => {
    const bare = path.replace(/^\//, "");
    return bare.slice(0, -1).includes("*") ? [`only trailing * allowed in "${bare}"`] : [];
  }),
];
