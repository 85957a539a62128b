import { type Transport, TransportError } from "../../client/transport.ts";
import { quote } from "../../schema/values/quote.ts";

/** A request without a response, with its URL; the message is the reason alone. */
export class RequestError extends TransportError {
  readonly #method: string;
  readonly #url: string;

  constructor({ method, url, cause }: { method: string; url: string; cause: TransportError }) {
    super(cause.message, { cause });
    this.#method = method;
    this.#url = url;
  }

  /** The server as the URL has it. */
  get host(): string {
    return new URL(this.#url).host;
  }

  /** The reason behind the request, as Go has it: `Get "http://…": …`. */
  get detail(): string {
    const method = this.#method.charAt(0) + this.#method.slice(1).toLowerCase();
    return `${method} ${quote(this.#url)}: ${this.message}`;
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

/** An error with all that Go says about it. */
export const detailOf = (error: unknown): string =>
  error instanceof RequestError ? error.detail : (error as Error).message;
