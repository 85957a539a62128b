import { decodeBase64 } from "../../schema/values/base64.ts";
import { millisOf, parseTime } from "../../schema/values/time.ts";
import { keyOf, type Registry } from "../objects/registry.ts";
import type { User } from "../request/identity.ts";

const tokenPattern = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const groupPattern = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;

/** The user of a token by which a node joins: those are kept as secrets in kube-system. */
export function bootstrapUser(registry: Registry, token: string): User | undefined {
  const [, id = "", secret = ""] = tokenPattern.exec(token) ?? [];
  const data = id === "" ? undefined : secretData(registry, `bootstrap-token-${id}`);
  if (!data || !isSame(data("token-secret"), secret) || data("token-id") !== id) return undefined;
  if (isExpired(data("expiration"), registry.clock.now())) return undefined;
  if (data("usage-bootstrap-authentication") !== "true") return undefined;
  const extra = data("auth-extra-groups");
  const groups = extra === "" ? [] : extra.split(",");
  if (!groups.every((group) => groupPattern.test(group))) return undefined;
  return {
    name: `system:bootstrap:${id}`,
    groups: [...new Set(["system:bootstrappers", ...groups])].sort(),
  };
}

/** The values of a secret for such a token, by key; empty for a key that it lacks. */
function secretData(
  { resources, cache }: Registry,
  name: string,
): ((key: string) => string) | undefined {
  const kind = resources.find("", "v1", "secrets");
  if (!kind) return undefined;
  const key = keyOf({ kind, namespace: "kube-system", name });
  const object = cache.of(kind).get(key)?.as(kind).object;
  const { type, data } = (object ?? {}) as {
    readonly type?: string;
    readonly data?: Readonly<Record<string, string>>;
  };
  if (!object || object.metadata.deletionTimestamp) return undefined;
  if (type !== "bootstrap.kubernetes.io/token" || !data) return undefined;
  return (name) =>
    Object.hasOwn(data, name) ? new TextDecoder().decode(decodeBase64(data[name] ?? "")) : "";
}

/** Takes as long wherever two texts differ. */
function isSame(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
}

/** A time that cannot be read has passed. */
function isExpired(expiration: string, now: number): boolean {
  if (expiration === "") return false;
  try {
    return millisOf(parseTime(expiration)) <= now;
  } catch {
    return true;
  }
}
