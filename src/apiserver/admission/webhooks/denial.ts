import type { Status } from "../../../api/meta/v1/status.ts";
import { StatusError } from "../../../api/meta/v1/status-error.ts";
import { quote } from "../../../schema/values/quote.ts";

/** The error for a request that a webhook has denied: the webhook's own Status, with a message that names it. */
export function denial(webhook: string, status: Partial<Status> = {}): StatusError {
  const { message = "", reason = "", code = 0, details } = status;
  const deniedBy = `admission webhook ${quote(webhook)} denied the request`;
  const why = message || reason;
  return new StatusError(
    reason as StatusError["reason"],
    why === "" ? `${deniedBy} without explanation` : `${deniedBy}: ${why}`,
    { code: codeOf(code), details: details as StatusError["details"] },
  );
}

/** A denial is an error, whatever the code says; HTTP has no codes of four digits. */
const codeOf = (code: number): number => (code < 400 ? 400 : code > 999 ? 500 : code);
