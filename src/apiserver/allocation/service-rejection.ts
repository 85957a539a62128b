import type { ServiceDraft } from "../../api/core/v1/service/service-spec.ts";
import { invalid, type StatusError } from "../../api/meta/v1/status-error.ts";
import { At } from "../../schema/language/report.ts";

/** The error for an invalid value in a service. */
export function rejection(
  service: ServiceDraft,
  place: { readonly path: string; readonly value: unknown },
  why: string,
): StatusError {
  const at = At.root();
  at.invalid(place.path, place.value, why);
  return rejectionOf(service, at);
}

/** The error for the reported problems of a service. */
export const rejectionOf = ({ metadata }: ServiceDraft, { errors }: At): StatusError =>
  invalid({ group: "", resource: "Service", name: metadata.name ?? "" }, errors);
