import type { Message } from "../../base/protobuf-message.ts";

/** A method of a service: where it is called, and what is said and answered. */
export interface GrpcMethod<I, O> {
  /** `/PACKAGE.SERVICE/METHOD` */
  readonly path: string;
  readonly request: Message<I>;
  readonly response: Message<O>;
}
