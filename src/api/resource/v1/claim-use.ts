import type { ResourceClaim } from "./resource-claim.ts";

/** Keeps a claim from going away while it has devices. */
export const claimFinalizer = "resource.kubernetes.io/delete-protection";

/** Whether the consumer with a uid may use a claim's devices. */
export const isReservedFor = ({ status }: ResourceClaim, consumer: string): boolean =>
  status?.reservedFor?.some(({ uid }) => uid === consumer) ?? false;
