import type { AuthenticationConfiguration } from "../../../../apiserver/authentication/jwt/authentication-configuration.ts";
import { signingAlgorithms } from "../../../../apiserver/authentication/jwt/web-key.ts";
import { pairFlag, stringFlag, stringsFlag } from "../../../../cli/flag.ts";
import { readGiven } from "../../../../platform/given-files.ts";
import { quote } from "../../../../schema/values/quote.ts";

/** The flags about one issuer of identity tokens; a file can describe several. */
export const oidcFlags = {
  "oidc-issuer-url": stringFlag({
    usage: "the https `URL` of an issuer of identity tokens (OpenID Connect)",
  }),
  "oidc-client-id": stringFlag({
    usage: "the audience of identity tokens; needed with --oidc-issuer-url",
  }),
  "oidc-ca-file": stringFlag({
    usage: "the `FILE` with the issuer's CA certificate (default: those that the machine trusts)",
  }),
  "oidc-username-claim": stringFlag({
    usage: "the claim with the user name; others than sub may change, or belong to several users",
    default: "sub",
  }),
  "oidc-username-prefix": stringFlag({
    usage:
      "the prefix of user names; - for none (default: the issuer and #, and none for the claim email)",
  }),
  "oidc-groups-claim": stringFlag({ usage: "the claim with the groups, a text or a list" }),
  "oidc-groups-prefix": stringFlag({ usage: "the prefix of groups" }),
  "oidc-signing-algs": stringsFlag({
    usage: `the accepted signature algorithms, of ${signingAlgorithms.join(", ")}`,
    default: ["RS256"],
  }),
  "oidc-required-claim": pairFlag({
    usage: "a claim that a token must have, as key=value; repeat the flag for several",
  }),
} as const;

/** The flag values that are read together. */
export interface OidcValues {
  readonly "oidc-issuer-url": string;
  readonly "oidc-client-id": string;
  readonly "oidc-ca-file": string;
  readonly "oidc-username-claim": string;
  readonly "oidc-username-prefix": string;
  readonly "oidc-groups-claim": string;
  readonly "oidc-groups-prefix": string;
  readonly "oidc-signing-algs": readonly string[];
  readonly "oidc-required-claim": ReadonlyMap<string, string>;
  readonly "authentication-config": string;
}

/** What is wrong with these flags together. */
export function oidcProblems(flags: OidcValues, given: ReadonlySet<string>): string[] {
  const isGiven = Object.keys(oidcFlags).some((name) => given.has(name));
  if (!isGiven) return [];
  if (flags["authentication-config"] !== "")
    return ["authentication-config file and oidc-* flags are mutually exclusive"];
  if (flags["oidc-issuer-url"] === "" || flags["oidc-client-id"] === "")
    return [
      "oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set",
    ];
  return flags["oidc-signing-algs"]
    .filter((algorithm) => !signingAlgorithms.includes(algorithm))
    .map((algorithm) => `oidc: unsupported signing alg: ${quote(algorithm)}`);
}

/** The flags as a configuration file would say it; undefined if there is no issuer. */
export async function oidcConfiguration(
  flags: OidcValues,
): Promise<AuthenticationConfiguration | undefined> {
  const issuer = flags["oidc-issuer-url"];
  if (issuer === "") return undefined;
  const path = flags["oidc-ca-file"];
  const claim = flags["oidc-username-claim"];
  const groups = flags["oidc-groups-claim"];
  return {
    jwt: [
      {
        issuer: {
          url: issuer,
          audiences: [flags["oidc-client-id"]],
          ...(path !== "" && {
            certificateAuthority: await readGiven({ flag: "oidc-ca-file", path }),
          }),
        },
        claimMappings: {
          username: { claim, prefix: usernamePrefix(flags) },
          ...(groups !== "" && { groups: { claim: groups, prefix: flags["oidc-groups-prefix"] } }),
        },
        claimValidationRules: [...flags["oidc-required-claim"]].map(([name, requiredValue]) => ({
          claim: name,
          requiredValue,
        })),
      },
    ],
  };
}

/** Claims other than addresses are unique for one issuer only. */
function usernamePrefix(flags: OidcValues): string {
  const prefix = flags["oidc-username-prefix"];
  if (prefix === "-") return "";
  if (prefix !== "" || flags["oidc-username-claim"] === "email") return prefix;
  return `${flags["oidc-issuer-url"]}#`;
}
