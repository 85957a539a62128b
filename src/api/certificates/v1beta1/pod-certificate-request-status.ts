import { type At, omitted } from "../../../schema/language/report.ts";
import { parseTime } from "../../../schema/values/time.ts";
import { type Condition, validateConditions } from "../../meta/v1/condition.ts";
import { semanticEqual } from "../../meta/v1/semantic-equal.ts";
import { type Certificate, parseCertificate } from "../x509/certificate.ts";
import { pemBlocks } from "../x509/pem.ts";
import { sameKey } from "../x509/public-key.ts";
import {
  type PodCertificateRequestSpec,
  PodCertificateRequestStatus,
} from "./pod-certificate-request-spec.ts";
import { requestedKey } from "./pod-certificate-request-validation.ts";

interface Body {
  readonly spec: PodCertificateRequestSpec;
  readonly status: PodCertificateRequestStatus;
}

const outcomes = ["Issued", "Denied", "Failed"];

/** What a signer may write: one outcome, once, and with a certificate the certificate that was asked for. */
export function validatePodCertificateRequestStatus(request: Body, old: Body, at: At): void {
  const { status } = request;
  const before = at.errors.length;
  validateOutcomes(status.conditions ?? [], at);
  validateConditions(status.conditions, at.child("status").child("conditions"));
  if (at.errors.length > before) return;
  const has = (body: Body, ...types: string[]) =>
    (body.status.conditions ?? []).some(
      (condition) => types.includes(condition.type) && condition.status === "True",
    );
  const unchanged = (wanted: PodCertificateRequestStatus, detail: string) => {
    if (!semanticEqual(PodCertificateRequestStatus, status, wanted))
      at.invalid("status", omitted, detail);
  };
  if (has(old, ...outcomes))
    unchanged(old.status, "immutable after PodCertificateRequest is issued, denied, or failed");
  else if (has(request, "Denied", "Failed"))
    unchanged(
      { conditions: status.conditions },
      "non-condition status fields must be empty when denying or failing the PodCertificateRequest",
    );
  else if (has(request, "Issued")) validateIssued(request, old.spec, at);
  else
    unchanged(
      old.status,
      'status is immutable unless transitioning to "Issued", "Denied", or "Failed"',
    );
}

/** Upstream writes the places of these with a dot too many. */
function validateOutcomes(conditions: readonly Condition[], at: At): void {
  let known = 0;
  for (const [i, { type, status }] of conditions.entries()) {
    const place = `status.conditions.[${i}]`;
    if (!outcomes.includes(type)) {
      at.notSupported(`${place}.type`, type, outcomes);
      continue;
    }
    known++;
    if (known > 1)
      at.invalid(
        `${place}.type`,
        type,
        'There may be at most one condition with type "Issued", "Denied", or "Failed"',
      );
    if (status !== "True") at.notSupported(`${place}.status`, status, ["True"]);
  }
}

const maxChain = 100 * 1024;

function validateIssued({ spec, status }: Body, asked: PodCertificateRequestSpec, at: At): void {
  const before = at.errors.length;
  const { certificateChain: chain = "" } = status;
  const here = at.child("status").child("certificateChain");
  if (new TextEncoder().encode(chain).length > maxChain) {
    here.tooLong("", maxChain);
    return;
  }
  const leaf = readLeaf(chain, here);
  if (!leaf) return;
  validateNames(leaf, here);
  if (!isOfRequestedKey({ leaf, chain }, asked, at)) return;
  const others = at.errors.length > before;
  if (!validateTimesPresent(status, at.child("status")) || others) return;
  if (!validateTimes({ leaf, spec, status }, at)) return;
  validateRest(chain, here);
}

function readLeaf(chain: string, at: At): Certificate | undefined {
  const [block] = pemBlocks(chain);
  if (!block) {
    at.invalid("", chain, "issued certificate chain must contain at least one certificate");
    return undefined;
  }
  if (block.type !== "CERTIFICATE") {
    at.invalid(
      "",
      chain,
      "issued certificate chain must consist entirely of CERTIFICATE PEM blocks",
    );
    return undefined;
  }
  try {
    return parseCertificate(block.bytes);
  } catch {
    at.invalid("", chain, "leaf certificate does not parse as valid X.509");
    return undefined;
  }
}

function validateNames({ names }: Certificate, at: At): void {
  for (const name of names.dnsNames) {
    if (name === "") at.invalid("", name, "leaf certificate should not contain empty DNSName");
    if (name.includes(".."))
      at.invalid("", name, "leaf certificate's DNSName should not contain '..'");
    if (name.startsWith(".") || name.endsWith("."))
      at.invalid("", name, "leaf certificate's DNSName should not start or end with '.'");
  }
  for (const address of names.emailAddresses)
    if (!/^[^\s@<>]+@[^\s@<>]+$/.test(address))
      at.invalid("", address, "leaf certificate should not contain invalid EmailAddress");
}

function isOfRequestedKey(
  { leaf, chain }: { readonly leaf: Certificate; readonly chain: string },
  asked: PodCertificateRequestSpec,
  at: At,
): boolean {
  try {
    if (sameKey(requestedKey(asked), leaf.publicKey)) return true;
  } catch {
    if (asked.stubPKCS10Request)
      at.invalid("spec.stubPKCS10Request", omitted, "must be a valid PKCS#10 CSR");
    else at.invalid("spec.pkixPublicKey", omitted, "must be a valid PKIX-serialized public key");
    return false;
  }
  at.invalid(
    "status.certificateChain",
    chain,
    "leaf certificate was not issued to the requested public key",
  );
  return false;
}

const present: readonly (readonly [
  field: "notBefore" | "notAfter" | "beginRefreshAt",
  detail: string,
])[] = [
  ["notBefore", "must be present and consistent with the issued certificate"],
  ["notAfter", "must be present and consistent with the issued certificate"],
  ["beginRefreshAt", "must be present and in the range [notbefore+10min, notafter-10min]"],
];

function validateTimesPresent(status: PodCertificateRequestStatus, at: At): boolean {
  const missing = present.filter(([field]) => !status[field]);
  for (const [field, detail] of missing) at.required(field, detail);
  return missing.length === 0;
}

const tenMinutes = 10 * 60;

/** The first of the rules of times that is broken is reported alone. */
function validateTimes(
  { leaf, spec, status }: Body & { readonly leaf: Certificate },
  at: At,
): boolean {
  const notBefore = secondsOf(status.notBefore);
  const notAfter = secondsOf(status.notAfter);
  const refresh = secondsOf(status.beginRefreshAt);
  const now = secondsOf(at.options.write?.now);
  const lifetime = leaf.notAfter - leaf.notBefore;
  const max = spec.maxExpirationSeconds ?? 0;
  const rules: readonly (readonly [
    isBroken: boolean,
    field: string,
    value: unknown,
    detail: string,
  ])[] = [
    [
      notBefore !== leaf.notBefore,
      "notBefore",
      status.notBefore,
      "must be set to the NotBefore time encoded in the leaf certificate",
    ],
    [
      Math.abs(notBefore - now) >= 5 * 60,
      "notBefore",
      status.notBefore,
      "must be set to within 5 minutes of kube-apiserver's current time",
    ],
    [
      notAfter !== leaf.notAfter,
      "notAfter",
      status.notAfter,
      "must be set to the NotAfter time encoded in the leaf certificate",
    ],
    [
      lifetime < 60 * 60,
      "certificateChain",
      lifetime * 1e9,
      "leaf certificate lifetime must be >= 1 hour",
    ],
    [
      lifetime > max,
      "certificateChain",
      lifetime * 1e9,
      `leaf certificate lifetime must be <= spec.maxExpirationSeconds (${max})`,
    ],
    [
      refresh < notBefore + tenMinutes,
      "beginRefreshAt",
      status.beginRefreshAt,
      "must be at least 10 minutes after status.notBefore",
    ],
    [
      refresh > notAfter - tenMinutes,
      "beginRefreshAt",
      status.beginRefreshAt,
      "must be at least 10 minutes before status.notAfter",
    ],
  ];
  const broken = rules.find(([isBroken]) => isBroken);
  if (!broken) return true;
  const [, field, value, detail] = broken;
  at.child("status").invalid(field, value, detail);
  return false;
}

const secondsOf = (time: string | undefined): number => (time ? parseTime(time).seconds : 0);

function validateRest(chain: string, at: At): void {
  const [, ...others] = pemBlocks(chain);
  for (const { type, bytes } of others) {
    const fault = type !== "CERTIFICATE" ? otherType : intermediateFault(bytes);
    if (fault === undefined) continue;
    at.invalid("", chain, fault);
    return;
  }
}

/** With upstream's spelling. */
const otherType = "issued certificate chain must consist entirely of CERTFICATE PEM blocks";

function intermediateFault(bytes: Uint8Array): string | undefined {
  try {
    parseCertificate(bytes);
    return undefined;
  } catch {
    return "intermediate certificate does not parse as valid X.509";
  }
}
