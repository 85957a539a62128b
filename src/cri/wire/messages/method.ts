import type { Message } from "../../../base/protobuf-message.ts";

/** A method of a service of CRI: its path, and the messages of its requests and responses. */
export interface WireMethod<I, O> {
  /** `/runtime.v1.SERVICE/METHOD` */
  readonly path: string;
  readonly request: Message<I>;
  readonly response: Message<O>;
  /** Whether it has any number of responses. */
  readonly isStreaming: boolean;
}

/** Declares the methods of a service. */
export const methodsOf = (service: string) => {
  const declared =
    (isStreaming: boolean) =>
    <I, O>(name: string, request: Message<I>, response: Message<O>): WireMethod<I, O> => ({
      path: `/runtime.v1.${service}/${name}`,
      request,
      response,
      isStreaming,
    });
  return { method: declared(false), streaming: declared(true) };
};
