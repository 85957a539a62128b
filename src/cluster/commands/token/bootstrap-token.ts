import { randomInt } from "node:crypto";
import {
  type BootstrapToken,
  bootstrapTokenName,
  bootstrapTokenNamespace,
  bootstrapTokenType,
  bootstrapTokenValue,
  isBootstrapGroup,
  bootstrapTokenKeys as keys,
  parseBootstrapToken,
} from "../../../api/core/v1/bootstrap-token-secret.ts";
import type { Secret } from "../../../api/core/v1/secret.ts";
import { formatTime, timeFromMillis } from "../../../schema/values/time.ts";

/** A bootstrap token with its properties. */
export interface DescribedToken {
  /** `ID.SECRET`. */
  readonly token: string;
  readonly description: string;
  /** When it expires, as a time of the API; undefined if never. */
  readonly expires: string | undefined;
  readonly usages: readonly string[];
  readonly groups: readonly string[];
}

/** A new random token. */
export const newToken = (): string => `${letters(6)}.${letters(16)}`;

/** What is wrong with the properties of a token, in kubeadm's words. */
export function tokenProblems({
  usages,
  groups,
}: Pick<DescribedToken, "usages" | "groups">): string[] {
  const wrong = [...new Set(usages)].filter((usage) => !knownUsages.includes(usage)).sort();
  const problems = groups
    .filter((group) => !isBootstrapGroup(group))
    .map(
      (group) =>
        `bootstrap group ${JSON.stringify(group)} is invalid (must match \\Asystem:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]\\z)`,
    );
  if (wrong.length > 0)
    problems.unshift(
      `invalid bootstrap token usage string: ${wrong.join(",")}, valid usage options: ${knownUsages.join(",")}`,
    );
  return problems;
}

/** The secret of a token. */
export function tokenSecret(
  { id, secret }: BootstrapToken,
  { description, expires, usages, groups }: Omit<DescribedToken, "token">,
) {
  return {
    metadata: { namespace: bootstrapTokenNamespace, name: bootstrapTokenName(id) },
    type: bootstrapTokenType,
    stringData: {
      [keys.id]: id,
      [keys.secret]: secret,
      ...(description !== "" && { [keys.description]: description }),
      ...(expires !== undefined && { [keys.expiration]: expires }),
      ...Object.fromEntries(usages.map((usage) => [`${usagePrefix}${usage}`, "true"])),
      ...(groups.length > 0 && { [keys.groups]: groups.join(",") }),
    },
  };
}

/** The token of a secret; throws if the secret is malformed. */
export function tokenOf(secret: Secret): DescribedToken {
  const { name = "" } = secret.metadata;
  const value = (key: string): string => bootstrapTokenValue(secret, key);
  const id = value(keys.id);
  if (id === "") throw new Error(`bootstrap Token Secret has no token-id data: ${name}`);
  if (name !== bootstrapTokenName(id))
    throw new Error(
      `bootstrap token name is not of the form 'bootstrap-token-(token-id)'. Actual: "${name}". Expected: "${bootstrapTokenName(id)}"`,
    );
  const token = `${id}.${value(keys.secret)}`;
  if (!parseBootstrapToken(token))
    throw new Error(`bootstrap Token Secret is invalid and couldn't be parsed: ${name}`);
  const groups = value(keys.groups);
  return {
    token,
    description: value(keys.description),
    expires: value(keys.expiration) || undefined,
    usages: Object.keys(secret.data ?? {})
      .filter((key) => key.startsWith(usagePrefix) && value(key) === "true")
      .map((key) => key.slice(usagePrefix.length))
      .sort(),
    groups: groups === "" ? [] : groups.split(","),
  };
}

/** When a token expires that lives for so many milliseconds; never if that is 0. */
export const expiration = (ttlMs: number, now: number): string | undefined =>
  ttlMs === 0 ? undefined : formatTime(timeFromMillis(now + ttlMs));

const usagePrefix = "usage-bootstrap-";
const knownUsages = ["signing", "authentication"];
const alphabet = "0123456789abcdefghijklmnopqrstuvwxyz";

const letters = (count: number): string =>
  Array.from({ length: count }, () => alphabet[randomInt(alphabet.length)]).join("");
