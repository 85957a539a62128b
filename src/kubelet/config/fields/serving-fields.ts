import {
  bool,
  int32,
  listOf,
  mapOf,
  string,
  strings,
  value,
} from "../../../schema/language/field.ts";
import { int32Type, listType, stringType } from "../../../schema/language/type.ts";
import { KubeletAuthentication, KubeletAuthorization } from "./authentication.ts";
import { period } from "./field-kinds.ts";

/** Static pods, and the kubelet's server. */
export const servingFields = {
  enableServer: bool(3).pointer().default(true).doc("Whether the kubelet serves its API."),
  staticPodPath: string(4).doc(
    "The folder with static pods, or a file with one; names that begin with a dot are ignored.",
  ),
  podLogsDir: string(5).default("/var/log/pods").doc("The folder of the logs of pods."),
  syncFrequency: period(6).default("1m0s").doc("The longest time between two syncs of a pod."),
  fileCheckFrequency: period(7)
    .default("20s")
    .doc("How often the folder of static pods is read, beside being watched."),
  httpCheckFrequency: period(8)
    .default("20s")
    .doc("How often static pods are fetched from their URL."),
  staticPodURL: string(9).doc("The URL of static pods."),
  staticPodURLHeader: mapOf(10, listType(stringType)).doc(
    "The HTTP headers of requests for static pods, as NAME:VALUE,…; a name may be repeated.",
  ),
  address: string(11)
    .default("0.0.0.0")
    .doc("The IP address to serve on; 0.0.0.0 or :: for all addresses."),
  port: int32(12).default(10250).doc("The port of the kubelet's API."),
  readOnlyPort: int32(13).doc(
    "The port of the part of the API that only reads, without authentication; 0 for none.",
  ),
  tlsCertFile: string(14).doc(
    "The file with the serving certificate and its intermediate certificates; without one, a self-signed certificate is created in --cert-dir.",
  ),
  tlsPrivateKeyFile: string(15).doc("The file with the private key of the serving certificate."),
  tlsCipherSuites: strings(16).doc(
    "The cipher suites to offer below TLS 1.3, by names like TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256; none for those that are considered secure.",
  ),
  tlsCurvePreferences: listOf(17, int32Type).doc(
    "The key exchange mechanisms, by number: 23 (P-256), 24 (P-384), 25 (P-521), 29 (X25519); their order does not matter.",
  ),
  tlsMinVersion: string(18).doc(
    "The minimum version of TLS: VersionTLS10, VersionTLS11, VersionTLS12 or VersionTLS13.",
  ),
  rotateCertificates: bool(19).doc(
    "Whether the client certificate is renewed before it expires, by a CertificateSigningRequest.",
  ),
  serverTLSBootstrap: bool(20).doc(
    "Whether the serving certificate is requested by a CertificateSigningRequest, which somebody must approve, and renewed before it expires.",
  ),
  authentication: value(21, KubeletAuthentication).doc("How requests are authenticated."),
  authorization: value(22, KubeletAuthorization).doc("How requests are authorized."),
};
