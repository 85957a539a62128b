import type { Socket } from "node:net";
import { type DialTarget, hostPort } from "../../../base/network.ts";
import { dialMessage } from "../../../platform/dial-message.ts";
import { requestHead } from "../../pod/http-get/request-head.ts";
import type { Exchange, Exchanged } from "./http-exchange.ts";
import { HttpResponseReader } from "./http-response-reader.ts";

/**
 * Sends a request through a connection, which may not be open yet, and is closed when the response, or enough of
 * it, has come.
 */
export function http1Exchange(
  socket: Socket,
  target: DialTarget,
  { request, connectionHeaders, mostBodyBytes, wantsBody, cutoff }: Exchange,
): Promise<Exchanged> {
  const reader = new HttpResponseReader(mostBodyBytes);
  let route = socket.connecting ? undefined : routeOf(socket);
  return new Promise((resolve, reject) => {
    let isSettled = false;
    const settle = (fault?: Error): void => {
      if (isSettled) return;
      isSettled = true;
      socket.destroy();
      const { head, body } = reader;
      if (head) resolve({ head, body, bodyFault: fault?.message });
      else reject(fault ?? new Error("EOF"));
    };
    const attempt = (read: () => boolean): void => {
      try {
        const isComplete = read();
        if ((reader.head && !wantsBody(reader.head)) || isComplete) settle();
      } catch (error) {
        settle(error as Error);
      }
    };
    socket.on("connect", () => {
      route = routeOf(socket);
    });
    socket.on("data", (bytes: Buffer) => attempt(() => reader.push(bytes)));
    socket.on("end", () =>
      attempt(() => {
        reader.end();
        return true;
      }),
    );
    socket.on("error", (error) =>
      settle(
        new Error(route === undefined ? dialMessage(target, error) : brokenText(error, route)),
      ),
    );
    socket.on("close", () => settle());
    cutoff.guard(() => settle(new Error("canceled")));
    socket.write(requestHead(request, connectionHeaders));
  });
}

/** Both ends of a connection; they must be read while it is open. */
function routeOf({ localAddress = "", localPort = 0, remoteAddress = "", remotePort = 0 }: Socket) {
  return `${hostPort(localAddress, localPort)}->${hostPort(remoteAddress, remotePort)}`;
}

/** The error of an open connection, in Go's words. */
function brokenText({ code, message }: NodeJS.ErrnoException, route: string): string {
  if (code === "ECONNRESET") return `read tcp ${route}: read: connection reset by peer`;
  if (code === "EPIPE") return `write tcp ${route}: write: broken pipe`;
  return message;
}
