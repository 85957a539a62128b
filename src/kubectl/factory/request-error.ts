import { type Transport, TransportError } from "../../client/transport.ts";
import { quote } from "../../schema/values/quote.ts";

/** A request without a response; the message is Go's: `Get "http://…": …`. */
export class RequestError extends TransportError {
  /** Why there is no response. */
  readonly reason: string;
  readonly #url: string;

  constructor({ method, url, cause }: { method: string; url: string; cause: TransportError }) {
    const verb = method.charAt(0) + method.slice(1).toLowerCase();
    super(`${verb} ${quote(url)}: ${cause.message}`, { cause });
    this.reason = cause.message;
    this.#url = url;
  }

  /** The server as the URL has it. */
  get host(): string {
    return new URL(this.#url).host;
  }
}

/** Adds the URLs of requests to errors. */
export function withRequestErrors(transport: Transport, server: string): Transport {
  return async (request) => {
    try {
      return await transport(request);
    } catch (cause) {
      if (!(cause instanceof TransportError) || cause instanceof RequestError) throw cause;
      const { method, path, query } = request;
      const url = `${server}${path}${query === "" ? "" : `?${query}`}`;
      throw new RequestError({ method, url, cause });
    }
  };
}
