import type { Transport } from "../../client/transport.ts";

interface Command {
  readonly path: string;
  readonly session: string;
}

/** The headers that tell the server which command sends a request. */
export const commandHeaders = ({ path, session }: Command) => ({
  "kubectl-command": path,
  "kubectl-session": session,
});

/** Adds these headers to all requests. */
export function withCommandHeaders(transport: Transport, command: Command): Transport {
  const own = commandHeaders(command);
  return (request) => transport({ ...request, headers: { ...own, ...request.headers } });
}
