import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import type { LifecycleHandler } from "../../../api/core/v1/container/lifecycle.ts";
import { hookMessage, invalidHandler } from "./hook-message.ts";
import { HookError } from "./hook-runner.ts";

const place = 'for Container "c" in Pod "p_ns(1)"';

each<[handler: LifecycleHandler, error: Error, message: string]>([
  [
    { exec: { command: ["sh", "-c", "exit 4"] } },
    new HookError("command 'sh -c exit 4' exited with 4: bad\n", "so\nbad\n"),
    `Exec lifecycle hook ([sh -c exit 4]) ${place} failed - error: command 'sh -c exit 4' exited with 4: bad\n, message: "so\\nbad\\n"`,
  ],
  [
    { httpGet: { path: "/x", port: 80 } } as LifecycleHandler,
    new Error('Get "http://10.0.0.1:80/x": EOF'),
    `HTTP lifecycle hook (/x) ${place} failed - error: Get "http://10.0.0.1:80/x": EOF`,
  ],
  [
    { sleep: { seconds: 5 } },
    new Error("container terminated before sleep hook finished"),
    `Sleep lifecycle hook (5) ${place} failed - error: container terminated before sleep hook finished`,
  ],
  [
    { tcpSocket: { port: 80 } },
    new Error(invalidHandler({ tcpSocket: { port: 80 } })),
    "Cannot run handler: invalid handler: &LifecycleHandler{Exec:nil,HTTPGet:nil,TCPSocket:&TCPSocketAction{Port:{0 80 },Host:,},Sleep:nil,}",
  ],
  [
    { tcpSocket: { port: "web", host: "h" } },
    new Error(invalidHandler({ tcpSocket: { port: "web", host: "h" } })),
    "Cannot run handler: invalid handler: &LifecycleHandler{Exec:nil,HTTPGet:nil,TCPSocket:&TCPSocketAction{Port:{1 0 web},Host:h,},Sleep:nil,}",
  ],
])("hookMessage: %j", (handler, error, message) => {
  const pod = { metadata: { name: "p", namespace: "ns", uid: "1" } };
  expect(hookMessage({ pod: pod as never, container: "c", handler }, error)).toBe(message);
});
