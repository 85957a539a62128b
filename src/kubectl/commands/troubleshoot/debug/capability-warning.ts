import type { DebugContainer, DebugPod } from "./debug-pod.ts";

/** The warning about capabilities that do not work for the user of a pod; empty if there is nothing to say. */
export function capabilityWarning(
  { spec }: DebugPod,
  container: DebugContainer | undefined,
): string {
  const { runAsUser = 0 } = spec.securityContext ?? {};
  const security = container?.securityContext;
  if (runAsUser === 0 || !security || security.runAsUser === 0) return "";
  const { privileged = false, capabilities } = security;
  if (!privileged && (capabilities?.add ?? []).length === 0) return "";
  return 'Warning: Non-root user is configured for the entire target Pod, and some capabilities granted by debug profile may not work. Please consider using "--custom" with a custom profile that specifies "securityContext.runAsUser: 0".\n';
}
