import { parseImageReference } from "../image-reference.ts";

/** Which images on a node are used only with credentials that may pull them. */
export interface VerificationPolicy {
  /** One of upstream's names: NeverVerify, NeverVerifyPreloadedImages, NeverVerifyAllowlistedImages, AlwaysVerify. */
  readonly name: string;
  /** Images without tag and digest, and prefixes that end in `/*`, for NeverVerifyAllowlistedImages. */
  readonly allowlist: readonly string[];
}

/** Whether an image on the node needs verification. A preloaded image is one that the kubelet has not pulled. */
export function needsVerification(
  { name, allowlist }: VerificationPolicy,
  { image, isPreloaded }: { readonly image: string; readonly isPreloaded: boolean },
): boolean {
  if (name === "NeverVerify") return false;
  if (name === "NeverVerifyPreloadedImages") return !isPreloaded;
  if (name !== "NeverVerifyAllowlistedImages") return true;
  const reference = parseImageReference(image);
  const repository = typeof reference === "string" ? image : reference.repository;
  return !allowlist.some((pattern) =>
    pattern.endsWith("/*") ? repository.startsWith(pattern.slice(0, -1)) : repository === pattern,
  );
}
