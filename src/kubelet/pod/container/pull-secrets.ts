import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import type { PodSurroundings } from "../pod-surroundings.ts";
import { type DockerConfig, parseDockerConfigJson, parseDockercfg } from "./docker-config.ts";
import { credentialsIn } from "./docker-keyring.ts";
import type { CredentialOwner, ImageCredential } from "./image-credential.ts";

/** A secret that a pod names in `imagePullSecrets`. */
export interface PullSecret extends CredentialOwner {
  readonly type: string;
  readonly data: Readonly<Record<string, string>>;
}

/** The credentials that a node has for its pods. */
export interface NodeCredentials {
  /** Those for an image of a pod, such as `docker.io/library/nginx`, in the order in which pulls try them. */
  forImage(image: string, pod: Pod): Promise<readonly ImageCredential[]>;
}

/**
 * Reads the pull secrets of a pod; those that cannot be read are left out, and an event names them. Nodes without
 * credentials ignore pull secrets.
 */
export async function readPullSecrets(
  pod: Pod,
  { credentials, references, events }: Surroundings,
): Promise<readonly PullSecret[]> {
  if (!credentials) return [];
  const secrets: PullSecret[] = [];
  const missing: string[] = [];
  for (const { name = "" } of pod.spec.imagePullSecrets ?? []) {
    // The API has always accepted references without a name.
    if (name === "") continue;
    const key = { namespace: pod.metadata.namespace, name };
    const secret = await references.pullSecret(key).catch(() => undefined);
    if (secret) secrets.push(secret);
    else missing.push(name);
  }
  if (missing.length > 0) {
    const message = `Unable to retrieve some image pull secrets (${missing.join(", ")}); attempting to pull the image may not succeed.`;
    events.pod(pod, { type: "Warning", reason: "FailedToRetrieveImagePullSecret", message });
  }
  return secrets;
}

type Surroundings = Pick<PodSurroundings, "credentials" | "references" | "events">;

/** The credentials in secrets for an image; throws with upstream's message if a secret cannot be parsed. */
export const pullSecretCredentials = (
  secrets: readonly PullSecret[],
  image: string,
): readonly ImageCredential[] =>
  credentialsIn(
    secrets.flatMap((secret) => configsOf(secret).map((config) => ownedBy(secret, config))),
    image,
  );

function ownedBy({ uid, namespace, name }: PullSecret, config: DockerConfig) {
  const source = { kind: "Secret", owner: { uid, namespace, name } } as const;
  return new Map([...config].map(([place, auth]) => [place, { auth, source }]));
}

function configsOf({ type, data }: PullSecret): readonly DockerConfig[] {
  const { ".dockerconfigjson": json, ".dockercfg": old } = data;
  if (type === "kubernetes.io/dockerconfigjson" && json) return [parseDockerConfigJson(json)];
  if (type === "kubernetes.io/dockercfg" && old) return [parseDockercfg(old)];
  return [];
}
