import type { ResourcePoolStatusRequest } from "../../api/resource/v1alpha3/resource-pool-status-request.ts";

const hour = 60 * 60_000;
const keptWithAnswerMs = hour;
const keptWithoutAnswerMs = 24 * hour;

/** Whether a request is to be deleted: an hour after its answer, or a day after it was made. */
export function isExpired(
  { metadata, status }: Pick<ResourcePoolStatusRequest, "metadata" | "status">,
  now: number,
): boolean {
  const answered = status?.conditions?.find(({ type }) => type === "Complete" || type === "Failed");
  const since = answered?.lastTransitionTime ?? metadata.creationTimestamp;
  if (!since) return false;
  return now - Date.parse(since) > (status ? keptWithAnswerMs : keptWithoutAnswerMs);
}
