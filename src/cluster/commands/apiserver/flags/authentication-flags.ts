import { parseGoUrl } from "../../../../api/admissionregistration/v1/go-url.ts";
import {
  boolFlag,
  durationFlag,
  type Flag,
  pairsFlag,
  stringArrayFlag,
  stringFlag,
  stringsFlag,
} from "../../../../cli/flag.ts";
import { quote } from "../../../../schema/values/quote.ts";
import { later, only, type ServerFlag } from "../../../flags/server-flag.ts";
import { flagGroup, optionFlag } from "./apiserver-flag.ts";

const hour = 3_600_000;

const openId = <T>(flag: Flag<T>): ServerFlag<T> => later("OpenID Connect", flag);
const frontProxy = <T>(flag: Flag<T>): ServerFlag<T> =>
  later("authentication by a proxy in front", flag);
const webhook = <T>(flag: Flag<T>): ServerFlag<T> =>
  later("authentication by asking another server", flag);

export const authenticationFlags = flagGroup(
  "Authentication flags",
  {
    "anonymous-auth": boolFlag({
      usage:
        "whether requests without a credential are served as system:anonymous of the group system:unauthenticated, or rejected",
      default: true,
    }),
    "client-ca-file": stringFlag({
      usage:
        "a `FILE` of authorities whose client certificates are accepted beside those of the cluster's own, so that admin.kubeconfig goes on working: the common name is the user, organizations are groups",
    }),
    "token-auth-file": optionFlag(
      stringFlag({
        usage:
          'a `FILE` of lines token,user,uid,"group1,group2": who shows such a token is that user',
      }),
      { sets: (tokenFile) => ({ tokenFile }) },
    ),
    "enable-bootstrap-token-auth": optionFlag(
      boolFlag({
        usage:
          "whether secrets of type bootstrap.kubernetes.io/token in kube-system hold tokens by which nodes join",
      }),
      { sets: (bootstrapTokens) => ({ bootstrapTokens }) },
    ),
    "api-audiences": optionFlag(
      stringsFlag({
        usage: "whom tokens are meant for that are shown to this server (default: the issuers)",
      }),
      { sets: (audiences) => ({ tokens: { audiences } }) },
    ),
    "service-account-issuer": optionFlag(
      stringArrayFlag({
        usage:
          "who issues the tokens of service accounts, best an https URL; the first is named by new tokens, those of all are accepted (default https://kubernetes.default.svc)",
      }),
      { sets: (issuers) => ({ tokens: { issuers } }), problems: issuerProblems },
    ),
    "service-account-key-file": optionFlag(
      stringArrayFlag({
        usage: "a `FILE` of keys, public or private, by which tokens are verified",
      }),
      { sets: (keyFiles) => ({ tokens: { keyFiles } }) },
    ),
    "service-account-lookup": only(
      [true],
      { because: "tokens end with what they are bound to" },
      boolFlag({
        usage: "whether a token ends when its account, pod, secret or node is gone",
        default: true,
      }),
    ),
    "service-account-jwks-uri": optionFlag(
      stringFlag({
        usage:
          "the `URL` of the keys in the metadata of tokens, where others do not reach this server itself",
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
          "whether the tokens of pods last a year, for programs that read theirs once, while their use after an hour is noted",
        default: true,
      }),
      { sets: (extendsPodTokens) => ({ tokens: { extendsPodTokens } }) },
    ),
    "authentication-config": later(
      "the configuration of authenticators by a file",
      stringFlag({ usage: "the `FILE` of a document AuthenticationConfiguration" }),
    ),
    "oidc-issuer-url": openId(stringFlag({ usage: "the `URL` of who issues identity tokens" })),
    "oidc-client-id": openId(stringFlag({ usage: "whom identity tokens are meant for" })),
    "oidc-ca-file": openId(stringFlag({ usage: "the `FILE` of the issuer's authority" })),
    "oidc-username-claim": openId(stringFlag({ usage: "the claim of the user", default: "sub" })),
    "oidc-username-prefix": openId(stringFlag({ usage: "what is put before users" })),
    "oidc-groups-claim": openId(stringFlag({ usage: "the claim of groups" })),
    "oidc-groups-prefix": openId(stringFlag({ usage: "what is put before groups" })),
    "oidc-signing-algs": openId(
      stringsFlag({ usage: "the algorithms of signatures that are accepted", default: ["RS256"] }),
    ),
    "oidc-required-claim": openId(
      pairsFlag({ usage: "a claim that a token must have, as key=value" }),
    ),
    "requestheader-client-ca-file": frontProxy(
      stringFlag({ usage: "the `FILE` of the authorities of the proxy's certificate" }),
    ),
    "requestheader-allowed-names": frontProxy(stringsFlag({ usage: "the names of proxies" })),
    "requestheader-username-headers": frontProxy(stringsFlag({ usage: "headers with the user" })),
    "requestheader-uid-headers": frontProxy(stringsFlag({ usage: "headers with the user's UID" })),
    "requestheader-group-headers": frontProxy(stringsFlag({ usage: "headers with groups" })),
    "requestheader-extra-headers-prefix": frontProxy(
      stringsFlag({ usage: "what headers with more about the user begin with" }),
    ),
    "authentication-token-webhook-config-file": webhook(
      stringFlag({ usage: "the `FILE`, a kubeconfig, of the server that reviews tokens" }),
    ),
    "authentication-token-webhook-version": webhook(
      stringFlag({ usage: "the version of the TokenReview that is sent", default: "v1beta1" }),
    ),
    "authentication-token-webhook-cache-ttl": webhook(
      durationFlag({ usage: "how long answers are remembered", default: 120_000 }),
    ),
  },
  {
    sets(flags: AuthenticationValues) {
      const isOpen = flags["authorization-mode"].includes("AlwaysAllow");
      const isAnonymous = flags["anonymous-auth"];
      return {
        core: { anonymousAuth: isAnonymous && !isOpen },
        ...(isAnonymous && isOpen && { warnings: [noAnonymous] }),
      };
    },
  },
);

/** What the group looks at, beside flags that stand alone. */
interface AuthenticationValues {
  readonly "anonymous-auth": boolean;
  readonly "authorization-mode": readonly string[];
}

/** A server that allows everything does so for known users only. */
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
