import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { Kubelet } from "../kubelet.ts";
import { execCommand } from "../pod/exec-command.ts";
import { type KubeletResponse, textResponse } from "./kubelet-request.ts";
import { runningContainer } from "./running-container.ts";

/** Runs a command of plain words in a container, and responds with its output, for `/run`. */
export async function runCommand(
  { runtime }: Pick<Kubelet, "runtime">,
  { pod, container }: { readonly pod: Pod; readonly container: string },
  query: URLSearchParams,
): Promise<KubeletResponse> {
  const id = await runningContainer(runtime, pod, container);
  if (id === undefined) return textResponse(500, `container not found ("${container}")`);
  const command = (query.get("cmd") ?? "").split(" ");
  const { end, message, output } = await execCommand(runtime, id, { command, timeoutSeconds: 0 });
  if (end !== "success") return textResponse(500, message);
  return { status: 200, headers: { "content-type": "application/json" }, body: output };
}
