import type { HttpClient } from "../http-client.ts";
import { parsed } from "../http-client.ts";
import { type Members, pick } from "../values.ts";
import type { ExecCommand } from "./kubelet-scenario.ts";

/** What a command wrote and how it ended, or how the request was refused. */
export interface ExecResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly code?: number;
  readonly status?: number;
  readonly message?: string;
  readonly error?: string;
}

/** Runs a command in a container through the API server, by WebSocket. */
export function exec(
  http: HttpClient,
  namespace: string,
  { pod, container, command, stdin }: ExecCommand,
): Promise<ExecResult> {
  const query = new URLSearchParams([
    ...command.map((part) => ["command", part]),
    ["stdout", "true"],
    ["stderr", "true"],
    ...(stdin === undefined ? [] : [["stdin", "true"]]),
    ...(container === undefined ? [] : [["container", container]]),
  ] as [string, string][]);
  const path = `/api/v1/namespaces/${namespace}/pods/${pod}/exec?${query}`;
  return new Promise((resolve) => {
    const output = { stdout: "", stderr: "" };
    const socket = http.webSocket(path, "v5.channel.k8s.io");
    const timer = setTimeout(() => {
      end({ error: "no end in 30 s" });
      socket.terminate();
    }, 30_000);
    let exit = {};
    const end = (result: Partial<ExecResult>) => {
      clearTimeout(timer);
      resolve({ ...output, ...result });
    };
    socket.on("unexpected-response", (_, response) => {
      let text = "";
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => {
        const message = String(pick(parsed(text), "message") ?? text);
        end({ status: response.statusCode ?? 0, message });
      });
    });
    socket.on("open", () => {
      if (stdin === undefined) return;
      socket.send(Buffer.concat([Buffer.from([0]), Buffer.from(stdin)]));
      // Channel 255 closes the channel that it names.
      socket.send(Buffer.from([255, 0]));
    });
    socket.on("message", (data: Buffer) => {
      const text = data.subarray(1).toString("utf8");
      if (data[0] === 1) output.stdout += text;
      else if (data[0] === 2) output.stderr += text;
      else if (data[0] === 3) exit = exitOf(JSON.parse(text) as Members);
    });
    socket.on("error", (error) => end({ ...exit, error: error.message }));
    socket.on("close", () => end(exit));
  });
}

function exitOf(status: Members): Partial<ExecResult> {
  if (status.status === "Success") return { code: 0 };
  const code = pick(status, "details.causes[reason=ExitCode].message");
  return code === undefined
    ? { code: -1, message: String(status.message) }
    : { code: Number(code) };
}
