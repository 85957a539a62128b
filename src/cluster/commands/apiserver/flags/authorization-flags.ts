import { type AbacPolicy, parsePolicyFile } from "../../../../apiserver/authorization/abac.ts";
import { durationFlag, stringFlag, stringsFlag } from "../../../../cli/flag.ts";
import { readGiven } from "../../../../platform/given-files.ts";
import { quote } from "../../../../schema/values/quote.ts";
import type { AuthorizationFlags } from "../open-authorization.ts";
import { flagGroup } from "./apiserver-flag.ts";

const modes = ["AlwaysAllow", "AlwaysDeny", "ABAC", "Webhook", "RBAC", "Node"];
const versions = ["v1", "v1beta1"] as const;

export const authorizationFlags = flagGroup(
  "Authorization flags",
  {
    "authorization-mode": stringsFlag({
      usage:
        "the authorizers, in order: the first that decides wins: AlwaysAllow, AlwaysDeny, ABAC, Webhook, RBAC, Node",
      default: ["Node", "RBAC"],
    }),
    "authorization-policy-file": stringFlag({
      usage: "the `FILE` for the mode ABAC: one policy per line, each a JSON object",
    }),
    "authorization-config": stringFlag({
      usage:
        "the `FILE` with an AuthorizationConfiguration: authorizers, any number of webhooks among them, instead of modes. A file that is replaced is read again; an invalid one leaves the last one in use",
    }),
    "authorization-webhook-config-file": stringFlag({
      usage: "the kubeconfig `FILE` of the server that decides, for the mode Webhook",
    }),
    "authorization-webhook-version": stringFlag({
      usage: "the version of the SubjectAccessReview that is sent: v1 or v1beta1",
      default: "v1beta1",
    }),
    "authorization-webhook-cache-authorized-ttl": durationFlag({
      usage: "how long allowed requests are cached",
      default: 300_000,
    }),
    "authorization-webhook-cache-unauthorized-ttl": durationFlag({
      usage: "how long other requests are cached",
      default: 30_000,
    }),
  },
  {
    problems: (flags: AuthorizationValues, given) =>
      flags["authorization-config"] === "" ? modeProblems(flags) : configProblems(given),
    async sets(flags: AuthorizationValues) {
      const path = flags["authorization-policy-file"];
      return { core: { abacPolicies: await readPolicies(path) }, authorization: choice(flags) };
    },
  },
);

/** The flag values that the group reads. */
interface AuthorizationValues {
  readonly "authorization-mode": readonly string[];
  readonly "authorization-policy-file": string;
  readonly "authorization-config": string;
  readonly "authorization-webhook-config-file": string;
  readonly "authorization-webhook-version": string;
  readonly "authorization-webhook-cache-authorized-ttl": number;
  readonly "authorization-webhook-cache-unauthorized-ttl": number;
}

const choice = (flags: AuthorizationValues): AuthorizationFlags => ({
  file: flags["authorization-config"],
  modes: flags["authorization-mode"] as AuthorizationFlags["modes"],
  webhook: {
    file: flags["authorization-webhook-config-file"],
    version: flags["authorization-webhook-version"] === "v1" ? "v1" : "v1beta1",
    allowedTtlMs: flags["authorization-webhook-cache-authorized-ttl"],
    otherTtlMs: flags["authorization-webhook-cache-unauthorized-ttl"],
  },
});

async function readPolicies(path: string): Promise<readonly AbacPolicy[]> {
  if (path === "") return [];
  return parsePolicyFile(path, await readGiven({ flag: "authorization-policy-file", path }));
}

function configProblems(given: ReadonlySet<string>): string[] {
  const isMixed = [...given].some((name) => /^authorization-(?:mode$|webhook-)/.test(name));
  return isMixed
    ? [
        "--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined",
      ]
    : [];
}

function modeProblems(flags: AuthorizationValues): string[] {
  const given = flags["authorization-mode"];
  const policy = flags["authorization-policy-file"];
  const webhook = flags["authorization-webhook-config-file"];
  const problems: string[] = [];
  if (given.length === 0) problems.push("at least one authorization-mode must be passed");
  for (const mode of given) {
    if (!modes.includes(mode))
      problems.push(`authorization-mode ${quote(mode)} is not a valid mode`);
    if (mode === "ABAC" && policy === "")
      problems.push("authorization-mode ABAC's authorization policy file not passed");
    if (mode === "Webhook" && webhook === "")
      problems.push("authorization-mode Webhook's authorization config file not passed");
  }
  if (policy !== "" && !given.includes("ABAC"))
    problems.push("cannot specify --authorization-policy-file without mode ABAC");
  if (webhook !== "" && !given.includes("Webhook"))
    problems.push("cannot specify --authorization-webhook-config-file without mode Webhook");
  if (new Set(given).size < given.length)
    problems.push(
      `authorization-mode [${given.map((mode) => quote(mode)).join(" ")}] has mode specified more than once`,
    );
  return [...problems, ...versionProblems(flags)];
}

function versionProblems(flags: AuthorizationValues): string[] {
  const version = flags["authorization-webhook-version"];
  if (!flags["authorization-mode"].includes("Webhook")) return [];
  if (versions.some((known) => known === version)) return [];
  return [
    `unsupported webhook authorizer version ${quote(version)}, supported versions are ${versions.map((known) => quote(known)).join(", ")}`,
  ];
}
