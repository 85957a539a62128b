import { encodeBase64Url } from "../../../base/base64.ts";
import type { HmacSha256 } from "../../../base/cryptography/hmac-sha256.ts";
import type { BootstrapToken } from "./bootstrap-token-secret.ts";

/** The ConfigMap from which new nodes learn how to reach and to trust the cluster. */
export const clusterInfo = { namespace: "kube-public", name: "cluster-info" } as const;

/** Its key with a kubeconfig that has no user. */
export const clusterInfoKubeconfig = "kubeconfig";

/** What the keys of its signatures begin with; the id of a token follows. */
export const clusterInfoSignature = "jws-kubeconfig-";

/** A JSON web signature of a text with a bootstrap token; the text itself is left out of it. */
export function detachedSignature(
  content: string,
  { id, secret }: BootstrapToken,
  hmacSha256: HmacSha256,
): string {
  const header = encodeText(JSON.stringify({ alg: "HS256", kid: id }));
  const signature = hmacSha256(secret, `${header}.${encodeText(content)}`);
  return `${header}..${encodeBase64Url(signature)}`;
}

const encodeText = (text: string): string => encodeBase64Url(new TextEncoder().encode(text));
