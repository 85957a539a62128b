import { canonicalBase64 } from "../base/base64.ts";
import { isMap } from "../schema/json/json-value.ts";
import { compareUtf8, sortedKeys } from "../schema/values/utf8-order.ts";
import type { AuthInfo, Cluster, Context, Kubeconfig, NamedExtension } from "./kubeconfig.ts";

/**
 * A kubeconfig as client-go writes it: only known fields, in the order of its structs and without empty ones, and
 * entries by name.
 */
export function canonicalKubeconfig(config: Kubeconfig): Kubeconfig {
  const preferences = withoutEmpty({
    colors: config.preferences?.colors,
    extensions: canonicalExtensions(config.preferences?.extensions),
  });
  return {
    kind: "Config",
    apiVersion: "v1",
    ...(Object.keys(preferences).length > 0 && { preferences }),
    clusters: byName(config.clusters, ({ name, cluster }) => ({
      name: name ?? "",
      cluster: canonicalCluster(cluster ?? {}),
    })),
    users: byName(config.users, ({ name, user }) => ({
      name: name ?? "",
      user: canonicalUser(user ?? {}),
    })),
    contexts: byName(config.contexts, ({ name, context }) => ({
      name: name ?? "",
      context: canonicalContext(context ?? {}),
    })),
    "current-context": config["current-context"] ?? "",
    ...withoutEmpty({ extensions: canonicalExtensions(config.extensions) }),
  };
}

function canonicalCluster(cluster: Cluster): Cluster {
  return {
    server: cluster.server ?? "",
    ...withoutEmpty({
      "tls-server-name": cluster["tls-server-name"],
      "insecure-skip-tls-verify": cluster["insecure-skip-tls-verify"],
      "certificate-authority": cluster["certificate-authority"],
      "certificate-authority-data": canonicalBytes(cluster["certificate-authority-data"]),
      "proxy-url": cluster["proxy-url"],
      "disable-compression": cluster["disable-compression"],
      extensions: canonicalExtensions(cluster.extensions),
    }),
  };
}

function canonicalUser(user: AuthInfo): AuthInfo {
  const { "auth-provider": provider } = user;
  return withoutEmpty({
    "client-certificate": user["client-certificate"],
    "client-certificate-data": canonicalBytes(user["client-certificate-data"]),
    "client-key": user["client-key"],
    "client-key-data": canonicalBytes(user["client-key-data"]),
    token: user.token,
    tokenFile: user.tokenFile,
    as: user.as,
    "as-uid": user["as-uid"],
    "as-groups": user["as-groups"],
    "as-user-extra": sorted(user["as-user-extra"]),
    username: user.username,
    password: user.password,
    "auth-provider": provider && {
      name: provider.name ?? "",
      config: (sorted(provider.config) ?? null) as Record<string, string>,
    },
    exec: user.exec && canonicalExec(user.exec),
    extensions: canonicalExtensions(user.extensions),
  });
}

function canonicalExec(exec: NonNullable<AuthInfo["exec"]>): NonNullable<AuthInfo["exec"]> {
  const env = exec.env?.map(({ name = "", value = "" }) => ({ name, value }));
  return {
    command: exec.command ?? "",
    args: (exec.args ?? null) as string[],
    env: (env ?? null) as { name: string; value: string }[],
    ...withoutEmpty({ apiVersion: exec.apiVersion, installHint: exec.installHint }),
    provideClusterInfo: exec.provideClusterInfo ?? false,
    ...withoutEmpty({ interactiveMode: exec.interactiveMode }),
  };
}

function canonicalContext(context: Context): Context {
  return {
    cluster: context.cluster ?? "",
    user: context.user ?? "",
    ...withoutEmpty({
      namespace: context.namespace,
      extensions: canonicalExtensions(context.extensions),
    }),
  };
}

function canonicalExtensions(
  extensions: readonly NamedExtension[] | null | undefined,
): NamedExtension[] {
  return byName(extensions, ({ name, extension }) => ({
    name: name ?? "",
    extension: sorted(extension),
  }));
}

function byName<T extends { readonly name?: string | undefined }>(
  items: readonly T[] | null | undefined,
  canonical: (item: T) => T,
): T[] {
  return (items ?? []).map(canonical).sort((a, b) => compareUtf8(a.name ?? "", b.name ?? ""));
}

/** Base64 without line breaks. */
function canonicalBytes(text: string | null | undefined): string | undefined {
  if (!text) return undefined;
  return canonicalBase64(text);
}

function withoutEmpty<T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const kept = Object.entries(fields).filter(
    ([, value]) =>
      value !== undefined &&
      value !== null &&
      value !== "" &&
      value !== false &&
      !(Array.isArray(value) && value.length === 0) &&
      !(isMap(value) && Object.keys(value).length === 0),
  );
  return Object.fromEntries(kept) as { [K in keyof T]?: NonNullable<T[K]> };
}

/** A value whose maps have their members in order. */
function sorted<T>(value: T): T {
  if (Array.isArray(value)) return value.map(sorted) as T;
  if (!isMap(value)) return value;
  return Object.fromEntries(sortedKeys(value).map((name) => [name, sorted(value[name])])) as T;
}
