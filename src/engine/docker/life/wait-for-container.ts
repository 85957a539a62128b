import { onAbort } from "../../../base/on-abort.ts";
import type { ContainerChange } from "../../containers/containers.ts";
import { asDockerContainer, type DockerContainer } from "../create/docker-details.ts";
import type { DockerContext } from "../docker-context.ts";
import { badRequest } from "../http/docker-error.ts";
import type { DockerRequest, DockerResponse } from "../http/docker-route.ts";
import { isRestarted } from "./restart-decision.ts";

/** Responds with the exit code of a container once a condition holds; the headers are sent at once. */
export function waitForContainer(context: DockerContext, request: DockerRequest): DockerResponse {
  const container = context.registry.find(request.params.id ?? "");
  const condition = request.query.get("condition") || "not-running";
  if (!["not-running", "next-exit", "removed"].includes(condition))
    throw badRequest(`invalid condition: "${condition}"`);
  const code = exitCode(context, container, condition, request.signal);
  return {
    status: 200,
    headers: { "content-type": "application/json" },
    stream: async ({ write }) => {
      const StatusCode = await code;
      if (StatusCode !== undefined) await write(`${JSON.stringify({ StatusCode })}\n`);
    },
  };
}

/** Resolves with the exit code, or with nothing if the client has disconnected. */
function exitCode(
  context: DockerContext,
  container: DockerContainer,
  condition: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { id } = container;
  const isOver = ["created", "exited"].includes(container.state.phase);
  if (condition === "not-running" && isOver && !container.details.isRestarting)
    return Promise.resolve(codeOf(container));
  return new Promise((resolve) => {
    const done = (code: number | undefined): void => {
      forget();
      unfollow();
      resolve(code);
    };
    let last = codeOf(container);
    const forget = context.containers.onChange((change) => {
      const changed = asDockerContainer(change.container);
      if (!changed || changed.id !== id) return;
      if (change.type === "exited") last = codeOf(changed);
      if (holds(condition, change.type, changed)) done(last);
    });
    const unfollow = onAbort(signal, () => done(undefined));
  });
}

function holds(
  condition: string,
  type: ContainerChange["type"],
  container: DockerContainer,
): boolean {
  if (type === "deleted") return true;
  if (type !== "exited" || condition === "removed") return false;
  return condition === "next-exit" || !willRestart(container);
}

function willRestart({ details, state }: DockerContainer): boolean {
  if (state.phase !== "exited") return false;
  const { restartCount, isStoppedByClient, hostConfig } = details;
  const { exitCode: code } = state;
  const policy = hostConfig.RestartPolicy;
  return isRestarted({ policy, exitCode: code, restartCount, isStoppedByClient });
}

/** The exit code of the latest run. */
const codeOf = ({ details, state }: Pick<DockerContainer, "details" | "state">): number =>
  details.startError?.exitCode ?? (state.phase === "exited" ? state.exitCode : 0);
