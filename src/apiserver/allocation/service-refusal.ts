import type { ServiceDraft } from "../../api/core/v1/service/service-spec.ts";
import { invalid, type StatusError } from "../../api/meta/v1/status-error.ts";
import { At } from "../../schema/language/report.ts";

/** Says that what is at a place of a service cannot be. */
export function refusal(
  service: ServiceDraft,
  place: { readonly path: string; readonly value: unknown },
  why: string,
): StatusError {
  const at = At.root();
  at.invalid(place.path, place.value, why);
  return refusalOf(service, at);
}

/** Says what was reported of a service. */
export const refusalOf = ({ metadata }: ServiceDraft, { errors }: At): StatusError =>
  invalid({ group: "", resource: "Service", name: metadata.name ?? "" }, errors);
