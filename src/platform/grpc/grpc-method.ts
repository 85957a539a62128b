import type { Message } from "../../base/protobuf-message.ts";

/** A method of a service: its path, and the messages of its requests and responses. */
export interface GrpcMethod<I, O> {
  /** `/PACKAGE.SERVICE/METHOD` */
  readonly path: string;
  readonly request: Message<I>;
  readonly response: Message<O>;
}
