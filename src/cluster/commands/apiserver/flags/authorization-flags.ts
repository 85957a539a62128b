import { type AbacPolicy, parsePolicyFile } from "../../../../apiserver/authorization/abac.ts";
import type { AuthorizationMode } from "../../../../apiserver/authorization/modes.ts";
import { durationFlag, type Flag, stringFlag, stringsFlag } from "../../../../cli/flag.ts";
import { readGiven } from "../../../../platform/given-files.ts";
import { quote } from "../../../../schema/values/quote.ts";
import { later, type ServerFlag } from "../../../flags/server-flag.ts";
import { flagGroup, optionFlag } from "./apiserver-flag.ts";

const modes = ["AlwaysAllow", "AlwaysDeny", "ABAC", "Webhook", "RBAC", "Node"];

const webhook = <T>(flag: Flag<T>): ServerFlag<T> => later("authorization by webhook", flag);

export const authorizationFlags = flagGroup(
  "Authorization flags",
  {
    "authorization-mode": optionFlag(
      stringsFlag({
        usage:
          "the authorizers, in order: the first that decides wins: AlwaysAllow, AlwaysDeny, ABAC, Node, RBAC; Webhook is not supported yet",
        default: ["Node", "RBAC"],
      }),
      {
        sets: (modes) => ({ core: { authorizationModes: modes as readonly AuthorizationMode[] } }),
      },
    ),
    "authorization-policy-file": stringFlag({
      usage: "the `FILE` for the mode ABAC: one policy per line, each a JSON object",
    }),
    "authorization-config": later(
      "configuring authorizers with a file",
      stringFlag({ usage: "the `FILE` with an AuthorizationConfiguration" }),
    ),
    "authorization-webhook-config-file": webhook(
      stringFlag({ usage: "the kubeconfig `FILE` of the webhook" }),
    ),
    "authorization-webhook-version": webhook(
      stringFlag({
        usage: "the version of the SubjectAccessReview that is sent",
        default: "v1beta1",
      }),
    ),
    "authorization-webhook-cache-authorized-ttl": webhook(
      durationFlag({ usage: "how long allowed requests are cached", default: 300_000 }),
    ),
    "authorization-webhook-cache-unauthorized-ttl": webhook(
      durationFlag({ usage: "how long denied requests are cached", default: 30_000 }),
    ),
  },
  {
    problems: modeProblems,
    async sets(flags: AuthorizationValues) {
      const path = flags["authorization-policy-file"];
      return { core: { abacPolicies: await readPolicies(path) } };
    },
  },
);

/** The flag values that the group reads. */
interface AuthorizationValues {
  readonly "authorization-mode": readonly string[];
  readonly "authorization-policy-file": string;
}

async function readPolicies(path: string): Promise<readonly AbacPolicy[]> {
  if (path === "") return [];
  return parsePolicyFile(path, await readGiven({ flag: "authorization-policy-file", path }));
}

function modeProblems(flags: AuthorizationValues): string[] {
  const given = flags["authorization-mode"];
  const policy = flags["authorization-policy-file"];
  const problems: string[] = [];
  if (given.length === 0) problems.push("at least one authorization-mode must be passed");
  for (const mode of given) {
    if (!modes.includes(mode))
      problems.push(`authorization-mode ${quote(mode)} is not a valid mode`);
    if (mode === "ABAC" && policy === "")
      problems.push("authorization-mode ABAC's authorization policy file not passed");
    if (mode === "Webhook")
      problems.push(
        "--authorization-mode=Webhook is not supported yet: authorization by webhook is not part of this version",
      );
  }
  if (policy !== "" && !given.includes("ABAC"))
    problems.push("cannot specify --authorization-policy-file without mode ABAC");
  if (new Set(given).size < given.length)
    problems.push(
      `authorization-mode [${given.map((mode) => quote(mode)).join(" ")}] has mode specified more than once`,
    );
  return problems;
}
