import {
  bytes,
  int32,
  list,
  named,
  string,
  stringMap,
  time,
} from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { Condition } from "../../meta/v1/condition.ts";

export const PodCertificateRequestSpec = struct(
  "io.k8s.api.certificates.v1beta1.PodCertificateRequestSpec",
  {
    signerName: string(1).always().expected().doc("Who is asked to sign."),
    podName: string(2).always().expected().doc("The pod that the certificate is for."),
    podUID: named(3, "types.UID").always().expected().doc("The uid of the pod."),
    serviceAccountName: string(4).always().expected().doc("The service account of the pod."),
    serviceAccountUID: named(5, "types.UID")
      .always()
      .expected()
      .doc("The uid of the service account."),
    nodeName: named(6, "types.NodeName").always().expected().doc("The node that the pod is on."),
    nodeUID: named(7, "types.UID").always().expected().doc("The uid of the node."),
    maxExpirationSeconds: int32(8)
      .pointer()
      .default(86400)
      .doc("For how long the certificate may be valid at most."),
    pkixPublicKey: bytes(9).always().doc("The public key, in DER; stubPKCS10Request is better."),
    proofOfPossession: bytes(10)
      .always()
      .doc("The pod's uid, signed with the key that belongs to pkixPublicKey."),
    stubPKCS10Request: bytes(12)
      .always()
      .expected()
      .doc("A request in DER, PKCS #10, of which the key matters alone."),
    unverifiedUserAnnotations: stringMap(11).doc(
      "What the author of the pod tells the signer; nobody has checked it.",
    ),
  },
).doc("The certificate that is asked for, and for which pod. Never changes.");
export interface PodCertificateRequestSpec extends Infer<typeof PodCertificateRequestSpec> {}

export const PodCertificateRequestStatus = struct(
  "io.k8s.api.certificates.v1beta1.PodCertificateRequestStatus",
  {
    conditions: list(1, Condition)
      .keyedBy("type")
      .doc("Whether the request was issued, denied, or has failed."),
    certificateChain: string(2).doc("The certificate and those above it, in PEM form."),
    notBefore: time(4).doc("When the certificate begins to be valid."),
    beginRefreshAt: time(5).doc("When the pod should begin to ask for the next one."),
    notAfter: time(6).doc("When the certificate ends to be valid."),
  },
).doc("What became of a request.");
export interface PodCertificateRequestStatus extends Infer<typeof PodCertificateRequestStatus> {}
