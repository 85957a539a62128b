import {
  boolFlag,
  durationFlag,
  type Flag,
  pairsFlag,
  stringArrayFlag,
  stringFlag,
  stringsFlag,
} from "../../../../cli/flag.ts";
import { parseGoUrl } from "../../../../schema/values/go-url.ts";
import { quote } from "../../../../schema/values/quote.ts";
import { later, only, type ServerFlag } from "../../../flags/server-flag.ts";
import { flagGroup, optionFlag } from "./apiserver-flag.ts";
import { type FrontProxyValues, frontProxyFlags, frontProxyOptions } from "./front-proxy-flags.ts";

const hour = 3_600_000;

const openId = <T>(flag: Flag<T>): ServerFlag<T> => later("OpenID Connect", flag);
const webhook = <T>(flag: Flag<T>): ServerFlag<T> => later("authentication by webhook", flag);

export const authenticationFlags = flagGroup(
  "Authentication flags",
  {
    "anonymous-auth": boolFlag({
      usage:
        "whether requests without credentials get the user system:anonymous and the group system:unauthenticated; if not, they are rejected",
      default: true,
    }),
    "client-ca-file": stringFlag({
      usage:
        "a `FILE` with CA certificates that sign client certificates: the common name is the user, organizations are groups; the cluster's own CA is accepted, too, so that admin.kubeconfig works",
    }),
    "token-auth-file": optionFlag(
      stringFlag({
        usage:
          'a `FILE` with lines token,user,uid,"group1,group2": a request with such a token is authenticated as that user',
      }),
      { sets: (tokenFile) => ({ tokenFile }) },
    ),
    "enable-bootstrap-token-auth": optionFlag(
      boolFlag({
        usage:
          "whether secrets of type bootstrap.kubernetes.io/token in kube-system authenticate nodes that join",
      }),
      { sets: (bootstrapTokens) => ({ bootstrapTokens }) },
    ),
    "api-audiences": optionFlag(
      stringsFlag({
        usage: "the audiences that tokens for this server must have (default: the issuers)",
      }),
      { sets: (audiences) => ({ tokens: { audiences } }) },
    ),
    "service-account-issuer": optionFlag(
      stringArrayFlag({
        usage:
          "the issuers of service account tokens, preferably https URLs; new tokens name the first, tokens of all are accepted (default https://kubernetes.default.svc)",
      }),
      { sets: (issuers) => ({ tokens: { issuers } }), problems: issuerProblems },
    ),
    "service-account-key-file": optionFlag(
      stringArrayFlag({
        usage: "a `FILE` with public or private keys to verify tokens with",
      }),
      { sets: (keyFiles) => ({ tokens: { keyFiles } }) },
    ),
    "service-account-lookup": only(
      [true],
      { because: "tokens are always bound to the lifetime of their objects" },
      boolFlag({
        usage: "whether a token becomes invalid when its account, pod, secret or node is deleted",
        default: true,
      }),
    ),
    "service-account-jwks-uri": optionFlag(
      stringFlag({
        usage:
          "the `URL` of the keys in the discovery document of tokens, if clients cannot reach this server itself",
      }),
      { sets: (keysUrl) => ({ tokens: { keysUrl } }), problems: keysUrlProblems },
    ),
    "service-account-max-token-expiration": optionFlag(
      durationFlag({
        usage: "the longest validity of a token; requests for more get this (default: no limit)",
      }),
      {
        sets: (ms) => ({ tokens: { maxSeconds: ms / 1000 } }),
        problems: (ms) =>
          ms !== 0 && (ms < hour || ms > 2 ** 32 * 1000)
            ? ["the service-account-max-token-expiration must be between 1 hour and 2^32 seconds"]
            : [],
      },
    ),
    "service-account-extend-token-expiration": optionFlag(
      boolFlag({
        usage:
          "whether tokens of pods are valid for a year, for programs that read them only once; use after an hour is recorded",
        default: true,
      }),
      { sets: (extendsPodTokens) => ({ tokens: { extendsPodTokens } }) },
    ),
    "authentication-config": later(
      "configuring authenticators with a file",
      stringFlag({ usage: "the `FILE` with an AuthenticationConfiguration" }),
    ),
    "oidc-issuer-url": openId(stringFlag({ usage: "the `URL` of the issuer of identity tokens" })),
    "oidc-client-id": openId(stringFlag({ usage: "the audience of identity tokens" })),
    "oidc-ca-file": openId(stringFlag({ usage: "the `FILE` with the issuer's CA certificate" })),
    "oidc-username-claim": openId(
      stringFlag({ usage: "the claim with the user name", default: "sub" }),
    ),
    "oidc-username-prefix": openId(stringFlag({ usage: "the prefix of user names" })),
    "oidc-groups-claim": openId(stringFlag({ usage: "the claim with the groups" })),
    "oidc-groups-prefix": openId(stringFlag({ usage: "the prefix of groups" })),
    "oidc-signing-algs": openId(
      stringsFlag({ usage: "the accepted signature algorithms", default: ["RS256"] }),
    ),
    "oidc-required-claim": openId(
      pairsFlag({ usage: "a claim that a token must have, as key=value" }),
    ),
    ...frontProxyFlags,
    "authentication-token-webhook-config-file": webhook(
      stringFlag({ usage: "the kubeconfig `FILE` of the server that reviews tokens" }),
    ),
    "authentication-token-webhook-version": webhook(
      stringFlag({ usage: "the version of the TokenReview that is sent", default: "v1beta1" }),
    ),
    "authentication-token-webhook-cache-ttl": webhook(
      durationFlag({ usage: "how long responses are cached", default: 120_000 }),
    ),
  },
  {
    sets(flags: AuthenticationValues) {
      const { warnings = [], ...proxies } = frontProxyOptions(flags);
      const isOpen = flags["authorization-mode"].includes("AlwaysAllow");
      const isAnonymous = flags["anonymous-auth"];
      return {
        ...proxies,
        core: { anonymousAuth: isAnonymous && !isOpen },
        warnings: [...warnings, ...(isAnonymous && isOpen ? [noAnonymous] : [])],
      };
    },
  },
);

/** The flag values that the group reads. */
interface AuthenticationValues extends FrontProxyValues {
  readonly "anonymous-auth": boolean;
  readonly "authorization-mode": readonly string[];
}

/** A server that allows everything does so only for authenticated users. */
const noAnonymous =
  "AnonymousAuth is not allowed with the AlwaysAllow authorizer. Resetting AnonymousAuth to false. You should use a different authorizer";

function issuerProblems(issuers: readonly string[]): string[] {
  return issuers.flatMap((issuer, index) => {
    const url = issuer.includes(":") ? parseGoUrl(issuer) : undefined;
    if (typeof url === "string")
      return [
        `service-account-issuer ${quote(issuer)} contained a ':' but was not a valid URL: ${url}`,
      ];
    if (issuer === "") return ["service-account-issuer should not be an empty string"];
    return issuers.indexOf(issuer) < index
      ? [`service-account-issuer ${quote(issuer)} is already specified`]
      : [];
  });
}

function keysUrlProblems(uri: string): string[] {
  const parsed = parseGoUrl(uri);
  if (typeof parsed === "string")
    return [`service-account-jwks-uri must be a valid URL: ${parsed}`];
  return uri !== "" && parsed.scheme !== "https"
    ? [`service-account-jwks-uri requires https scheme, parsed as: ${uri}`]
    : [];
}
