import { tokenReviewVersions } from "../../../../apiserver/authentication/token-webhook.ts";
import {
  boolFlag,
  durationFlag,
  stringArrayFlag,
  stringFlag,
  stringsFlag,
} from "../../../../cli/flag.ts";
import { parseGoUrl } from "../../../../schema/values/go-url.ts";
import { quote } from "../../../../schema/values/quote.ts";
import { only } from "../../../flags/server-flag.ts";
import type { AuthenticationFlags } from "../open-authentication.ts";
import { flagGroup, optionFlag } from "./apiserver-flag.ts";
import { type FrontProxyValues, frontProxyFlags, frontProxyOptions } from "./front-proxy-flags.ts";
import { type OidcValues, oidcConfiguration, oidcFlags, oidcProblems } from "./oidc-flags.ts";

const hour = 3_600_000;

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
    "authentication-config": stringFlag({
      usage:
        "the `FILE` with an AuthenticationConfiguration: issuers of tokens, how their claims become users, and whether requests may be anonymous. A file that is replaced is read again; an invalid one leaves the last one in use",
    }),
    ...oidcFlags,
    ...frontProxyFlags,
    "authentication-token-webhook-config-file": stringFlag({
      usage: "the kubeconfig `FILE` of a server that reviews tokens which nobody else knows",
    }),
    "authentication-token-webhook-version": stringFlag({
      usage: "the version of the TokenReview that is sent: v1 or v1beta1",
      default: "v1beta1",
    }),
    "authentication-token-webhook-cache-ttl": durationFlag({
      usage: "how long reviews of tokens are kept",
      default: 120_000,
    }),
  },
  {
    problems: (flags: AuthenticationValues, given) => [
      ...oidcProblems(flags, given),
      ...webhookProblems(flags),
    ],
    async sets(flags: AuthenticationValues, given) {
      const { warnings = [], ...proxies } = frontProxyOptions(flags);
      const isOpen = flags["authorization-mode"].includes("AlwaysAllow");
      const isAnonymous = flags["anonymous-auth"];
      return {
        ...proxies,
        core: { anonymousAuth: isAnonymous && !isOpen },
        authentication: await authenticationOf(flags, given),
        warnings: [...warnings, ...(isAnonymous && isOpen ? [noAnonymous] : [])],
      };
    },
  },
);

/** The flag values that the group reads. */
interface AuthenticationValues extends FrontProxyValues, OidcValues {
  readonly "authentication-token-webhook-config-file": string;
  readonly "authentication-token-webhook-version": string;
  readonly "authentication-token-webhook-cache-ttl": number;
  readonly "anonymous-auth": boolean;
  readonly "authorization-mode": readonly string[];
}

async function authenticationOf(
  flags: AuthenticationValues,
  given: ReadonlySet<string>,
): Promise<AuthenticationFlags> {
  const configuration = await oidcConfiguration(flags);
  const webhook = flags["authentication-token-webhook-config-file"];
  const version = tokenReviewVersions.find(
    (known) => known === flags["authentication-token-webhook-version"],
  );
  return {
    file: flags["authentication-config"],
    setsAnonymous: given.has("anonymous-auth"),
    ...(configuration && { issuer: { configuration, algorithms: flags["oidc-signing-algs"] } }),
    ...(webhook !== "" &&
      version && {
        webhook: {
          file: webhook,
          version,
          cacheTtlMs: flags["authentication-token-webhook-cache-ttl"],
        },
      }),
  };
}

function webhookProblems(flags: AuthenticationValues): string[] {
  const version = flags["authentication-token-webhook-version"];
  if (flags["authentication-token-webhook-config-file"] === "") return [];
  if (tokenReviewVersions.some((known) => known === version)) return [];
  return [
    `unsupported authentication webhook version ${quote(version)}, supported versions are ${tokenReviewVersions.map((known) => quote(known)).join(", ")}`,
  ];
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
