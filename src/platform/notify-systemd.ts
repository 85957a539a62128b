import { runChild } from "./run-child.ts";

/**
 * Tells systemd that the service in this process is ready, if it has started it and waits for that. A message that
 * cannot be sent does no harm: then the service is not ready in time.
 */
export async function notifyReady(
  env: NodeJS.ProcessEnv = process.env,
  program = "systemd-notify",
): Promise<void> {
  if (!env.NOTIFY_SOCKET) return;
  // Node has no datagrams of Unix; the program sends them in the name of its parent.
  await runChild(program, ["--ready"], { env }).catch(() => {});
}
