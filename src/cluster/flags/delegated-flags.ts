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
  later("authentication by a proxy in front", flag);

/** Authentication of requests to a server that has no users of its own, by the API server. */
export const delegatedAuthenticationFlags = ({ tolerates }: { readonly tolerates: boolean }) =>
  section("Authentication flags", {
    "authentication-kubeconfig": stringFlag({
      usage:
        "the `FILE`, a kubeconfig, of the API server that reviews tokens and publishes the authorities of client certificates (default: as a pod reaches its cluster; elsewhere everybody is anonymous)",
    }),
    "authentication-token-webhook-cache-ttl": durationFlag({
      usage: "how long is remembered whose a token is",
      default: 10_000,
    }),
    "authentication-skip-lookup": boolFlag({
      usage: "whether the API server is not asked who signs clients' certificates",
    }),
    "authentication-tolerate-lookup-failure": boolFlag({
      usage: "whether to start, without clients' certificates, where it cannot be asked",
      default: tolerates,
    }),
    "client-ca-file": stringFlag({
      usage:
        "a `FILE` of authorities whose client certificates are accepted, instead of those that the API server names",
    }),
    "requestheader-client-ca-file": frontProxy(
      stringFlag({ usage: "the `FILE` of the authorities of the proxy's certificate" }),
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
        usage: "what headers with more about the user begin with",
        default: ["x-remote-extra-"],
      }),
    ),
  });

/** Authorization of requests to a server that has no rules of its own, by the API server. */
export const delegatedAuthorizationFlags = section("Authorization flags", {
  "authorization-kubeconfig": stringFlag({
    usage:
      "the `FILE`, a kubeconfig, of the API server that authorizes requests (default: as a pod reaches its cluster; elsewhere only system:masters may do more than everybody)",
  }),
  "authorization-webhook-cache-authorized-ttl": durationFlag({
    usage: "how long is remembered that somebody may do something",
    default: 10_000,
  }),
  "authorization-webhook-cache-unauthorized-ttl": durationFlag({
    usage: "how long is remembered that somebody may not",
    default: 10_000,
  }),
  "authorization-always-allow-paths": stringsFlag({
    usage: "paths that everybody may ask for; one that ends with * stands for all below it",
    default: ["/healthz", "/readyz", "/livez"],
  }),
});

export type DelegatedFlags = Values<
  ReturnType<typeof delegatedAuthenticationFlags> & typeof delegatedAuthorizationFlags
>;

/** What is wrong with the values, in upstream's words. */
export const delegatedProblems = (flags: DelegatedFlags): string[] =>
  flags["authorization-always-allow-paths"].flatMap((path) => {
    const bare = path.replace(/^\//, "");
    return bare.slice(0, -1).includes("*") ? [`only trailing * allowed in "${bare}"`] : [];
  });
