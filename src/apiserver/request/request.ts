import type { ByteStream } from "../../base/network.ts";

/** Lower-case names; several headers of one name are joined with ", ". */
export type ApiHeaders = Readonly<Record<string, string | undefined>>;

/** The subject of a client certificate that was verified. */
export interface Peer {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** SHA-256 of the certificate, in hex. */
  readonly fingerprint?: string;
}

/** A request as the core sees it, wherever it comes from. */
export interface ApiRequest {
  readonly method: string;
  /** As it was sent, without the query. */
  readonly path: string;
  /** As it was sent, without the question mark. */
  readonly query: string;
  readonly headers: ApiHeaders;
  /** Names and values in turns, each byte a character; absent where no name occurs twice. */
  readonly rawHeaders?: readonly string[] | undefined;
  readonly body: Uint8Array | undefined;
  /** Instead of a body, what JSON in it would stand for; it is copied, and never kept or changed. */
  readonly value?: unknown;
  /** Whether what would be JSON is to be answered as the value that it stands for. */
  readonly wantsValues?: boolean | undefined;
  /** The body while it arrives, of a request that is passed on (`passesBody`); there is no `body` then. */
  readonly incoming?: AsyncIterable<Uint8Array> | undefined;
  readonly peer: Peer | undefined;
  /** Why a certificate that was presented does not count; such a request is refused, not anonymous. */
  readonly peerError?: string | undefined;
  readonly remoteAddress: string;
  /** Aborted when the client goes away or the server stops. */
  readonly signal: AbortSignal;
  /** Aborts the signal, because the answer will not be waited for. */
  abort?(): void;
}

/** Where a streamed answer is written to. */
export interface Sink<Chunk = Uint8Array | string> {
  /** False: the client is slow; wait for `onDrain` before writing more. */
  write(chunk: Chunk): boolean;
  end(): void;
  onDrain(resume: () => void): void;
}

/** An answer that goes on until it ends itself or its client goes away. */
export interface StreamBody<Chunk = Uint8Array | string> {
  /** Begins to write; the result stops it. */
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
  /** Instead of a body, where values were asked for: frozen, and shared with whoever else has it. */
  readonly value?: object | undefined;
  /** The same for a watch. */
  readonly values?: StreamBody<WatchValue> | undefined;
  /** A client may take as long as it likes to read on: what is sent waits elsewhere. */
  readonly isPatient?: boolean;
  /** With status 101: what becomes of the connection, which is no longer HTTP. */
  readonly takeOver?: (client: ByteStream) => Promise<void>;
}

/** The whole API server: a function that needs no socket. */
export type Handler = (request: ApiRequest) => Promise<ApiResponse> | ApiResponse;
