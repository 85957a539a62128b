import {
  bytes,
  int32,
  list,
  listOf,
  mapOf,
  named,
  string,
  strings,
  time,
} from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { namedString, stringType, wrappedListType } from "../../../schema/language/type.ts";

/** What a certificate may be used for. */
export const keyUsages = [
  "signing",
  "digital signature",
  "content commitment",
  "key encipherment",
  "key agreement",
  "data encipherment",
  "cert sign",
  "crl sign",
  "encipher only",
  "decipher only",
  "any",
  "server auth",
  "client auth",
  "code signing",
  "email protection",
  "s/mime",
  "ipsec end system",
  "ipsec tunnel",
  "ipsec user",
  "timestamping",
  "ocsp signing",
  "microsoft sgc",
  "netscape sgc",
] as const;

export const CertificateSigningRequestSpec = struct(
  "io.k8s.api.certificates.v1.CertificateSigningRequestSpec",
  {
    request: bytes(1).always().expected().doc("The request: PKCS #10 in PEM form."),
    signerName: string(7)
      .always()
      .expected()
      .doc("Who is asked to sign: a domain and a path. Fields can be selected by it."),
    expirationSeconds: int32(8)
      .pointer()
      .doc("For how long the certificate should be valid; the signer may differ."),
    usages: listOf(5, namedString("v1.KeyUsage"))
      .known(...keyUsages)
      .atomic()
      .doc("What the certificate should be good for."),
    username: string(2).doc("Who made the request; set by the server."),
    uid: string(3).doc("The uid of who made the request; set by the server."),
    groups: strings(4).atomic().doc("The groups of who made the request; set by the server."),
    extra: mapOf(6, wrappedListType(stringType, "v1.ExtraValue")).doc(
      "What else is known of who made the request; set by the server.",
    ),
  },
).doc("The certificate that is asked for, and who asks.");
export interface CertificateSigningRequestSpec
  extends Infer<typeof CertificateSigningRequestSpec> {}

export const CertificateSigningRequestCondition = struct(
  "io.k8s.api.certificates.v1.CertificateSigningRequestCondition",
  {
    type: named(1, "v1.RequestConditionType")
      .always()
      .expected()
      .known("Approved", "Denied", "Failed")
      .doc("What the condition is about; Approved and Denied exclude each other and stay."),
    status: named(6, "v1.ConditionStatus")
      .always()
      .expected()
      .known("True", "False", "Unknown")
      .doc("Whether it holds; True for Approved, Denied and Failed."),
    reason: string(2).doc("Why, for machines."),
    message: string(3).doc("Why, for people."),
    lastUpdateTime: time(4).always().doc("When the condition was last written."),
    lastTransitionTime: time(5).always().doc("When the status last changed."),
  },
).doc("One aspect of what became of a request.");
export interface CertificateSigningRequestCondition
  extends Infer<typeof CertificateSigningRequestCondition> {}

export const CertificateSigningRequestStatus = struct(
  "io.k8s.api.certificates.v1.CertificateSigningRequestStatus",
  {
    conditions: list(1, CertificateSigningRequestCondition)
      .mapKeys("type")
      .doc("Whether the request was approved or denied, or has failed."),
    certificate: bytes(2).doc("The certificate, in PEM form, once it is issued; it stays."),
  },
).doc("What became of a request.");
export interface CertificateSigningRequestStatus
  extends Infer<typeof CertificateSigningRequestStatus> {}
