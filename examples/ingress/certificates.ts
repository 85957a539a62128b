import { createSecureContext, type SecureContext } from "node:tls";
import type { Ingress, Secret } from "wherry/api";
import { wildcardOf } from "./routes.ts";

/** The certificates of hosts; the oldest ingress with a certificate for a host wins. */
export function certificatesOf(
  ingresses: readonly Ingress[],
  secrets: readonly Secret[],
): ReadonlyMap<string, Secret> {
  const byName = new Map(
    secrets.map((secret) => [`${secret.metadata.namespace}/${secret.metadata.name}`, secret]),
  );
  const certificates = new Map<string, Secret>();
  for (const { metadata, spec } of ingresses)
    for (const { hosts, secretName } of spec.tls ?? []) {
      const secret = byName.get(`${metadata.namespace}/${secretName}`);
      const named = hosts ?? (spec.rules ?? []).flatMap(({ host }) => host ?? []);
      for (const host of secret ? named : [])
        if (secret && !certificates.has(host)) certificates.set(host, secret);
    }
  return certificates;
}

const contexts = new WeakMap<Secret, SecureContext>();

/** The certificate for a host and its key; undefined if there is none, or none that can be used. */
export function secureContext(
  certificates: ReadonlyMap<string, Secret>,
  host: string,
): SecureContext | undefined {
  const secret = certificates.get(host) ?? certificates.get(wildcardOf(host));
  const made = secret && contexts.get(secret);
  if (!secret || made) return made;
  const file = (name: string) => Buffer.from(secret.data?.[name] ?? "", "base64");
  try {
    const context = createSecureContext({ cert: file("tls.crt"), key: file("tls.key") });
    contexts.set(secret, context);
    return context;
  } catch {
    // What is wrong with it is for its owner to see; connections to other hosts go on.
    return undefined;
  }
}
