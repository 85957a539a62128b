import { RuntimeError, type RuntimeService } from "../../../cri/runtime-service.ts";
import { runtimeMethods } from "../../../cri/wire/messages/runtime-methods.ts";
import type { GrpcHandler } from "../../../platform/grpc/grpc-server.ts";
import type { StreamingServer } from "../../streaming/streaming-server.ts";
import { handle } from "./cri-handler.ts";

/** Where clients connect their streams. */
export type StreamAddresses = Pick<StreamingServer, "exec" | "attach" | "portForward">;

/** The methods that run commands, or return where to connect streams. */
export const streamHandlers = (
  runtime: RuntimeService,
  streams: StreamAddresses,
): readonly GrpcHandler[] => [
  handle(runtimeMethods.execSync, async ({ container_id, cmd, timeout }) => {
    const { stdout, stderr, exitCode } = await runtime.execSync(container_id, cmd, timeout);
    const size = stdout.length + stderr.length;
    if (size > mostBytes)
      throw new RuntimeError(
        "ResourceExhausted",
        `grpc: trying to send message larger than max (${size} vs. ${mostBytes})`,
      );
    return { stdout, stderr, exit_code: exitCode };
  }),
  handle(runtimeMethods.exec, async ({ container_id, cmd, tty, stdin, stdout, stderr }) => {
    const request = { containerId: container_id, command: cmd, tty, stdin, stdout, stderr };
    // Unlike the client's, this ID is complete.
    const { id } = await runningContainer(runtime, container_id);
    return { url: streams.exec({ ...request, containerId: id }) };
  }),
  handle(runtimeMethods.attach, async ({ container_id, tty, stdin, stdout, stderr }) => {
    const request = { containerId: container_id, tty, stdin, stdout, stderr };
    const { id } = await runningContainer(runtime, container_id);
    return { url: streams.attach({ ...request, containerId: id }) };
  }),
  handle(runtimeMethods.portForward, async ({ pod_sandbox_id, port }) => {
    const { id, state } = await runtime.podSandboxStatus(pod_sandbox_id);
    if (state !== "ready") throw new RuntimeError("Unknown", "sandbox container is not running");
    return { url: streams.portForward({ sandboxId: id, ports: port }) };
  }),
];

/** The limit of messages that kubelets and containerd have. */
const mostBytes = 16 * 1024 * 1024;

async function runningContainer(runtime: RuntimeService, wanted: string) {
  const status = await runtime.containerStatus(wanted);
  if (status.state !== "running")
    throw new RuntimeError(
      "Unknown",
      `container is in CONTAINER_${status.state.toUpperCase()} state`,
    );
  return status;
}
