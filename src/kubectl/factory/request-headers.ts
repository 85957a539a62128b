import type { Transport } from "../../client/transport.ts";

/** Adds headers that tell the server which command sends a request. */
export function withCommandHeaders(
  transport: Transport,
  { path, session }: { readonly path: string; readonly session: string },
): Transport {
  const own = { "kubectl-command": path, "kubectl-session": session };
  return (request) => transport({ ...request, headers: { ...own, ...request.headers } });
}
