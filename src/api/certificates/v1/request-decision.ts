import type { CertificateSigningRequestStatus } from "./certificate-signing-request-spec.ts";

type Status = Pick<CertificateSigningRequestStatus, "conditions">;

const has = ({ conditions = [] }: Status, type: string): boolean =>
  conditions.some((condition) => condition.type === type);

/** Whether a request was approved or denied. */
export const isDecided = (status: Status): boolean =>
  has(status, "Approved") || has(status, "Denied");

/** Whether a request was approved, and not denied as well. */
export const isApproved = (status: Status): boolean =>
  has(status, "Approved") && !has(status, "Denied");

/** Whether a signer refused a request. */
export const hasFailed = ({ conditions = [] }: Status): boolean =>
  conditions.some(({ type, status }) => type === "Failed" && (status === "" || status === "True"));
