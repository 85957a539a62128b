import type { ByteStream } from "../../base/network.ts";

/** Lower-case names; several headers of one name are joined with ", ". */
export type ApiHeaders = Readonly<Record<string, string | undefined>>;

/** The subject of a client certificate that was verified. */
export interface Peer {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** SHA-256 of the certificate, in hex. */
  readonly fingerprint?: string;
  /**
   * Set if an authority of front proxies has signed the certificate: its holder may name the user of a request.
   * `alone` if no authority of clients has signed it, so that the holder is no user itself.
   */
  readonly proxy?: "alone" | "client";
  /** Milliseconds since 1970 at which the certificate expires. */
  readonly validUntil?: number;
}

/** A request, from the network or from the same process. */
export interface ApiRequest {
  readonly method: string;
  /** As it was sent, without the query. */
  readonly path: string;
  /** As it was sent, without the question mark. */
  readonly query: string;
  readonly headers: ApiHeaders;
  /** Names and values alternate, one character per byte; absent where no name occurs twice. */
  readonly rawHeaders?: readonly string[] | undefined;
  readonly body: Uint8Array | undefined;
  /** Instead of a JSON body, its value, from a client in process; the server copies it. */
  readonly value?: unknown;
  /** Whether the client takes a value where the response would be JSON. */
  readonly wantsValues?: boolean | undefined;
  /** The body as it arrives, of a request that is proxied (`passesBody`); there is no `body` then. */
  readonly incoming?: AsyncIterable<Uint8Array> | undefined;
  readonly peer: Peer | undefined;
  /** Why the client's certificate is invalid; such a request is rejected, not anonymous. */
  readonly peerError?: string | undefined;
  readonly remoteAddress: string;
  /** Aborted when the client goes away or the server stops. */
  readonly signal: AbortSignal;
  /** Aborts the signal, because nobody waits for the response. */
  abort?(): void;
}

/** Receives a streamed response. */
export interface Sink<Chunk = Uint8Array | string> {
  /** False: the client is slow; wait for `onDrain` before writing more. */
  write(chunk: Chunk): boolean;
  end(): void;
  onDrain(resume: () => void): void;
}

/** A response that streams until it ends or its client goes away. */
export interface StreamBody<Chunk = Uint8Array | string> {
  /** Begins to write; the returned function stops it. */
  start(sink: Sink<Chunk>): () => void;
}

/** An event of a watch as a value. */
export interface WatchValue {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  readonly object: object;
}

export type ApiBody =
  | Uint8Array
  | string
  | readonly (Uint8Array | string)[]
  | AsyncIterable<Uint8Array | string>
  | StreamBody
  | undefined;

export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: ApiBody;
  /** Instead of a body, for `wantsValues`: a frozen value that others may share. */
  readonly value?: object | undefined;
  /** The same for a watch. */
  readonly values?: StreamBody<WatchValue> | undefined;
  /** Set if the body is an object of the API: what audit logs say of it. */
  readonly described?: DescribedBody | undefined;
  /** Whether the client may pause reading for any time: the data is buffered at its source, not here. */
  readonly isPatient?: boolean;
  /** With status 101: takes over the connection, which is no longer HTTP. */
  readonly takeOver?: (client: ByteStream) => Promise<void>;
}

/** An object in the body of a response. */
export interface DescribedBody {
  /** What the object says of the outcome, if it is a Status. */
  readonly status?:
    | {
        readonly status?: string | undefined;
        readonly message?: string | undefined;
        readonly reason?: string | undefined;
        readonly details?: object | undefined;
      }
    | undefined;
  /** The object as JSON; absent if that is the body. */
  json?(): string;
}

/** The whole API server: a function that needs no socket. */
export type Handler = (request: ApiRequest) => Promise<ApiResponse> | ApiResponse;
