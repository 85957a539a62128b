import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { ServiceAccount } from "../../../api/core/v1/service-account.ts";
import type { Client } from "../../../client/client.ts";
import type { CredentialProvider } from "../../config/credential-provider/credential-provider-config.ts";
import type { CredentialOwner } from "../../pod/container/image-credential.ts";
import type { ServiceAccountTokens } from "../volumes/content/service-account-tokens.ts";

/** What a plugin learns of the service account of a pod, for which it provides credentials. */
export interface PluginAccount {
  readonly owner: CredentialOwner;
  /** A token that is valid as long as the pod exists. */
  readonly token: string;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Where plugins' service accounts and tokens are from. */
export interface PluginAccounts {
  /** Calls as the node. */
  readonly client: Client;
  readonly tokens: Pick<ServiceAccountTokens, "get">;
}

/**
 * Reads the service account of a pod and requests a token, if a plugin needs them. Resolves with `skip` if the plugin
 * does not serve the pod: it has no service account, or one without an annotation that is required.
 */
export async function pluginAccount(
  { tokenAttributes }: CredentialProvider,
  pod: Pod,
  { client, tokens }: PluginAccounts,
): Promise<PluginAccount | "skip" | undefined> {
  if (!tokenAttributes) return undefined;
  const { namespace = "" } = pod.metadata;
  const { serviceAccountName: name = "" } = pod.spec;
  if (name === "") return tokenAttributes.requireServiceAccount ? "skip" : undefined;
  const account = await saying("failed to get service account", () =>
    client.get(ServiceAccount, { name, namespace }),
  );
  const annotations = chosenAnnotations(account.metadata.annotations ?? {}, tokenAttributes);
  if (!annotations) return "skip";
  const { uid = "" } = account.metadata;
  const audience = tokenAttributes.serviceAccountTokenAudience;
  const { token } = await saying("failed to get service account token", () =>
    tokens.get(pod, { audience, expirationSeconds, accountUid: uid }),
  );
  return { owner: { uid, namespace, name }, token, annotations };
}

/** The API server's default. */
const expirationSeconds = 3600;

async function saying<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new Error(what, { cause });
  }
}

/** The annotations that a plugin gets; undefined if a required one is missing. */
function chosenAnnotations(
  annotations: Readonly<Record<string, string>>,
  {
    requiredServiceAccountAnnotationKeys: required = [],
    optionalServiceAccountAnnotationKeys: optional = [],
  }: NonNullable<CredentialProvider["tokenAttributes"]>,
): Readonly<Record<string, string>> | undefined {
  if (!required.every((key) => Object.hasOwn(annotations, key))) return undefined;
  const wanted = new Set([...required, ...optional]);
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => wanted.has(key)));
}
