import {
  bool,
  inline,
  int32,
  int64,
  list,
  message,
  string,
  stringMap,
} from "../../../../schema/language/field.ts";
import { type Infer, struct } from "../../../../schema/language/struct.ts";
import { LabelSelector } from "../../../meta/v1/label-selector.ts";
import { LocalObjectReference } from "../object-reference.ts";
import { KeyToPath } from "./key-to-path.ts";
import { DownwardAPIVolumeFile } from "./sources/downward-api.ts";

export const SecretProjection = struct("io.k8s.api.core.v1.SecretProjection", {
  ...inline(1, LocalObjectReference),
  items: list(2, KeyToPath).atomic().doc("The keys that become files; without it, all of them."),
  optional: bool(4).pointer().doc("Whether the pod may start without the secret or its keys."),
}).doc("The values of a secret as files.");
export interface SecretProjection extends Infer<typeof SecretProjection> {}

export const ConfigMapProjection = struct("io.k8s.api.core.v1.ConfigMapProjection", {
  ...inline(1, LocalObjectReference),
  items: list(2, KeyToPath).atomic().doc("The keys that become files; without it, all of them."),
  optional: bool(4).pointer().doc("Whether the pod may start without the ConfigMap or its keys."),
}).doc("The values of a ConfigMap as files.");
export interface ConfigMapProjection extends Infer<typeof ConfigMapProjection> {}

export const DownwardAPIProjection = struct("io.k8s.api.core.v1.DownwardAPIProjection", {
  items: list(1, DownwardAPIVolumeFile).atomic().doc("The files."),
}).doc("What the pod says of itself, as files.");
export interface DownwardAPIProjection extends Infer<typeof DownwardAPIProjection> {}

export const ServiceAccountTokenProjection = struct(
  "io.k8s.api.core.v1.ServiceAccountTokenProjection",
  {
    audience: string(1).doc("Whom the token is for; the API server if not given."),
    expirationSeconds: int64(2).pointer().default(3600).doc("Seconds that the token is valid."),
    path: string(3).always().expected().doc("The file that holds the token."),
  },
).doc("A token of the pod's service account, renewed before it expires.");
export interface ServiceAccountTokenProjection
  extends Infer<typeof ServiceAccountTokenProjection> {}

export const ClusterTrustBundleProjection = struct(
  "io.k8s.api.core.v1.ClusterTrustBundleProjection",
  {
    name: string(1).pointer().doc("The one bundle that is meant."),
    signerName: string(2).pointer().doc("The signer whose bundles are meant."),
    labelSelector: message(3, LabelSelector).doc("Labels of the signer's bundles that are meant."),
    optional: bool(5).pointer().doc("Whether the pod may start without the bundles."),
    path: string(4).always().expected().doc("The file that holds the certificates."),
  },
).doc("Certificates of trust bundles in one file.");
export interface ClusterTrustBundleProjection extends Infer<typeof ClusterTrustBundleProjection> {}

export const PodCertificateProjection = struct("io.k8s.api.core.v1.PodCertificateProjection", {
  signerName: string(1).expected().doc("The signer that is asked for the certificate."),
  keyType: string(2).expected().doc("The kind of key that is made for the pod."),
  maxExpirationSeconds: int32(3).pointer().doc("The longest that the certificate may be valid."),
  credentialBundlePath: string(4).doc("The file that holds key and certificates."),
  keyPath: string(5).doc("The file that holds the key alone."),
  certificateChainPath: string(6).doc("The file that holds the certificates alone."),
  userAnnotations: stringMap(7).doc("What the signer is to know beside the rest."),
}).doc("A key and certificate of the pod's own, renewed before it expires.");
export interface PodCertificateProjection extends Infer<typeof PodCertificateProjection> {}

export const VolumeProjection = struct("io.k8s.api.core.v1.VolumeProjection", {
  secret: message(1, SecretProjection).doc("The values of a secret."),
  downwardAPI: message(2, DownwardAPIProjection).doc("What the pod says of itself."),
  configMap: message(3, ConfigMapProjection).doc("The values of a ConfigMap."),
  serviceAccountToken: message(4, ServiceAccountTokenProjection).doc("A token of the pod."),
  clusterTrustBundle: message(5, ClusterTrustBundleProjection).doc("Trusted certificates."),
  podCertificate: message(6, PodCertificateProjection).doc("A certificate of the pod."),
}).doc("One of the things that are projected into a volume.");
export interface VolumeProjection extends Infer<typeof VolumeProjection> {}
