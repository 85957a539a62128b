import type { BootstrapToken } from "../../api/core/v1/bootstrap-token-secret.ts";
import {
  clusterInfo,
  clusterInfoKubeconfig,
  clusterInfoSignature,
  detachedSignature,
} from "../../api/core/v1/cluster-info.ts";
import { hmacSha256 } from "../../platform/hmac-sha256.ts";
import { publicKeyPins } from "./public-key-pin.ts";
import { addressIn, type ClusterAddress } from "./publish-cluster-info.ts";

type Data = Readonly<Record<string, string>>;

/** Whether cluster-info has a signature by a token; it is added some time after the token. */
export const hasSignature = (data: Data, { id }: BootstrapToken): boolean =>
  Object.hasOwn(data, `${clusterInfoSignature}${id}`);

/** The address in cluster-info, whose signature must be that of the token. */
export function verifyClusterInfo(data: Data, token: BootstrapToken): ClusterAddress {
  const { [clusterInfoKubeconfig]: text = "", [`${clusterInfoSignature}${token.id}`]: signature } =
    data;
  if (text === "")
    throw new Error(
      `there is no ${clusterInfoKubeconfig} key in the ${clusterInfo.name} ConfigMap. This API Server isn't set up for token bootstrapping, can't connect`,
    );
  if (!signature)
    throw new Error(
      `token id "${token.id}" is invalid for this cluster or it has expired. Use "wherry token create" on the control-plane node to create a new valid token`,
    );
  if (signature !== detachedSignature(text, token, hmacSha256))
    throw new Error(
      "failed to verify JWS signature of received cluster info object, can't trust this API Server",
    );
  const address = addressIn(text);
  if (!address) throw new Error(`malformed kubeconfig in the ${clusterInfo.name} ConfigMap`);
  return address;
}

/** Throws unless there are CA certificates, one of which has a pinned key; without pins, any key will do. */
export function checkAuthorities(ca: string, pins: readonly string[]): void {
  const found = publicKeyPins(ca);
  if (found.length === 0)
    throw new Error(`failed to parse cluster CA from the ${clusterInfo.name} ConfigMap`);
  const allowed = new Set(pins.map((pin) => pin.toLowerCase()));
  if (pins.length > 0 && !found.some((pin) => allowed.has(pin)))
    throw new Error(
      `cluster CA found in ${clusterInfo.name} ConfigMap is invalid: none of the public keys "${found.join(":")}" are pinned`,
    );
}
