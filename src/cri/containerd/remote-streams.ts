import type { DialStreams } from "../../base/stream-connection.ts";
import { PortForwardClient } from "../streaming/port-forward-client.ts";
import { execThrough } from "../streaming/remote-command-client.ts";
import type { ForwardSession, StreamSession, StreamTarget } from "../streams.ts";
import { runtimeMethods as methods } from "../wire/messages/runtime-methods.ts";
import type { CriCalls } from "./cri-calls.ts";

/** Streams of a runtime, through the addresses that it returns for them. */
export class RemoteStreams {
  readonly #calls: CriCalls;
  readonly #dial: DialStreams;

  constructor(calls: CriCalls, dial: DialStreams) {
    this.#calls = calls;
    this.#dial = dial;
  }

  async exec(target: StreamTarget, session: StreamSession): Promise<number> {
    const { url } = await this.#calls.call(methods.exec, {
      ...requestOf(target, session),
      cmd: target.command,
    });
    return execThrough(url, { ...session, tty: target.tty }, this.#dial);
  }

  async attach(target: StreamTarget, session: StreamSession): Promise<number> {
    const { url } = await this.#calls.call(methods.attach, requestOf(target, session));
    return execThrough(url, { ...session, tty: target.tty }, this.#dial);
  }

  async portForward(sandboxId: string, port: number, session: ForwardSession): Promise<void> {
    const request = { pod_sandbox_id: sandboxId, port: [port] };
    const { url } = await this.#calls.call(methods.portForward, request);
    const { signal } = session;
    const client = await PortForwardClient.dial(url, { dial: this.#dial, signal });
    try {
      await client.forward(port, session);
    } finally {
      await client.close();
    }
  }
}

const requestOf = ({ containerId, tty }: StreamTarget, session: StreamSession) => ({
  container_id: containerId,
  tty,
  stdin: session.stdin !== undefined,
  stdout: session.stdout !== undefined,
  // A terminal has one stream of output.
  stderr: session.stderr !== undefined && !tty,
});
