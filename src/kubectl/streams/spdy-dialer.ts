import type { DialStreams } from "../../base/stream-connection.ts";
import { UpgradeError } from "../../platform/spdy/dial-upgrade.ts";
import type { Factory } from "../factory/factory.ts";
import type { Environment } from "../program/kubectl-command.ts";

/** Whether the environment turns a feature off that is on by default. */
export const isFeatureOff = (env: Environment, name: string): boolean =>
  env[name]?.toLowerCase() === "false";

/** Opens connections through SPDY; its errors are those of the original. */
export async function spdyDialer(
  factory: Pick<Factory, "streams" | "server">,
): Promise<DialStreams> {
  const { spdy } = await factory.streams();
  return async (path, how) => {
    try {
      return await spdy(path, how);
    } catch (error) {
      how.signal.throwIfAborted();
      const { message } = error as Error;
      if (error instanceof UpgradeError)
        throw new Error(`unable to upgrade connection: ${refusalOf(error.body)}`, { cause: error });
      throw new Error(
        `error sending request: Post "${await factory.server()}${path}": ${message}`,
        { cause: error },
      );
    }
  };
}

/** The text of a response that refuses; of a status, its message. */
function refusalOf(body: string): string {
  const { message, error } = parsed(body);
  for (const text of [message, error])
    if (typeof text === "string" && text.trim() !== "") return text.trim();
  return body || "empty server response";
}

function parsed(text: string): { readonly message?: unknown; readonly error?: unknown } {
  try {
    return (JSON.parse(text) ?? {}) as object;
  } catch {
    return {};
  }
}
