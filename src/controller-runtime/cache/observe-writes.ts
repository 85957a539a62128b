import type { Transport } from "../../client/transport.ts";
import { NotLeaderError } from "../election/fence.ts";
import { type OwnWrite, writeCall } from "./own-write.ts";

/** A transport that tells of every write what has become of it, when it is known. */
export function observeWrites(transport: Transport, onWrite: (write: OwnWrite) => void): Transport {
  return async (request) => {
    const call = writeCall(request);
    if (!call) return transport(request);
    /** That a write got no answer; one that was not sent has done nothing. */
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
      // Whoever reads the answer himself keeps what it says to himself, too.
      bytes() {
        if (response.status < 400 || response.status >= 500) onWrite(call.unanswered());
        return response.bytes();
      },
    };
  };
}
