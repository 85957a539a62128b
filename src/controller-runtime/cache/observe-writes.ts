import type { Transport } from "../../client/transport.ts";
import { NotLeaderError } from "../election/fence.ts";
import { type OwnWrite, writeCall } from "./own-write.ts";

/**
 * A transport that reports the outcome of every write once it is known.
 *
 * It wraps the transport, not the client, because the client hides three things that matter here: attempts
 * that it retries by itself (each may have had an effect), the uid in the Status of a deletion, and `raw`
 * calls. That is why the target of a write is read from its path.
 */
export function observeWrites(transport: Transport, onWrite: (write: OwnWrite) => void): Transport {
  return async (request) => {
    const call = writeCall(request);
    if (!call) return transport(request);
    /** Reports a write without a response; a write that was not sent had no effect. */
    const failed = (error: unknown): never => {
      if (!(error instanceof NotLeaderError && !error.isSent)) onWrite(call.unanswered());
      throw error;
    };
    const response = await transport(request).catch(failed);
    const answered = (value: unknown): unknown => {
      const write = call.answered(response.status, value);
      if (write) onWrite(write);
      return value;
    };
    return {
      ...response,
      value: () => response.value().catch(failed).then(answered),
      // A caller that reads the bytes itself does not show what they say.
      bytes() {
        if (response.status < 400 || response.status >= 500) onWrite(call.unanswered());
        return response.bytes();
      },
    };
  };
}
