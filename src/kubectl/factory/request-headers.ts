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

/** Adds headers to all requests. */
export const withHeaders =
  (transport: Transport, headers: Readonly<Record<string, string>>): Transport =>
  (request) =>
    transport({ ...request, headers: { ...headers, ...request.headers } });
