import { Secret } from "../../api/core/v1/secret.ts";
import { decodeBase64 } from "../../base/base64.ts";
import { millisOf, parseTime } from "../../schema/values/time.ts";
import type { User } from "../request/identity.ts";
import type { TokenSources } from "./token-sources.ts";

const tokenPattern = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const groupPattern = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;

/** The user of a bootstrap token, which is kept as a secret in kube-system. */
export function bootstrapUser(
  { reader, environment }: TokenSources,
  token: string,
): User | undefined {
  const [, id = "", secret = ""] = tokenPattern.exec(token) ?? [];
  const data = id === "" ? undefined : secretData(reader, `bootstrap-token-${id}`);
  if (!data || !isSame(data("token-secret"), secret) || data("token-id") !== id) return undefined;
  if (isExpired(data("expiration"), environment.clock.now())) return undefined;
  if (data("usage-bootstrap-authentication") !== "true") return undefined;
  const extra = data("auth-extra-groups");
  const groups = extra === "" ? [] : extra.split(",");
  if (!groups.every((group) => groupPattern.test(group))) return undefined;
  return {
    name: `system:bootstrap:${id}`,
    groups: [...new Set(["system:bootstrappers", ...groups])].sort(),
  };
}

/** The values of a bootstrap token's secret, by key; empty for a key that it lacks. */
function secretData(
  reader: TokenSources["reader"],
  name: string,
): ((key: string) => string) | undefined {
  const secret = reader.getCached(Secret, { namespace: "kube-system", name });
  if (!secret || secret.metadata.deletionTimestamp) return undefined;
  const { type, data } = secret;
  if (type !== "bootstrap.kubernetes.io/token" || !data) return undefined;
  return (name) =>
    Object.hasOwn(data, name) ? new TextDecoder().decode(decodeBase64(data[name] ?? "")) : "";
}

/** Compares in constant time, so that the time tells nothing about the secret. */
function isSame(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
}

/** A time that cannot be parsed counts as passed. */
function isExpired(expiration: string, now: number): boolean {
  if (expiration === "") return false;
  try {
    return millisOf(parseTime(expiration)) <= now;
  } catch {
    return true;
  }
}
