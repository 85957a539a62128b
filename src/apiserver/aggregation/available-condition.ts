import type { APIService, APIServiceCondition } from "../../api/apiregistration/v1/api-service.ts";

/** Whether an API can be used, and why. */
export type Availability = Pick<APIServiceCondition, "status" | "reason" | "message">;

/** An APIService with its condition Available; undefined if it has that already. */
export function withAvailability(
  service: APIService,
  { status, reason, message }: Availability,
  now: string,
): APIService | undefined {
  const conditions = service.status?.conditions ?? [];
  const found = conditions.find(({ type }) => type === "Available");
  if (found?.status === status && found.reason === reason && found.message === message)
    return undefined;
  const lastTransitionTime = found?.status === status ? found.lastTransitionTime : now;
  const condition = { type: "Available", status, lastTransitionTime, reason, message } as const;
  const next = found
    ? conditions.map((other) => (other === found ? condition : other))
    : [...conditions, condition];
  return { ...service, status: { ...service.status, conditions: next } };
}
