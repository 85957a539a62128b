import { errorMessage } from "../../../base/error-message.ts";
import type { StreamSession } from "../../../cri/streams.ts";
import type { ExecCommand } from "../../containers/containers.ts";
import { dockerUser } from "../../containers/user/docker-user.ts";
import { readUserFiles } from "../../containers/user/user-files.ts";
import type { DockerContainer } from "../create/docker-details.ts";
import type { DockerContext } from "../docker-context.ts";
import { badRequest, conflict, DockerError } from "../http/docker-error.ts";
import { type DockerRoute, type HijackedConnection, route } from "../http/docker-route.ts";
import { frame } from "../http/stream-frames.ts";
import { emitContainer } from "../life/container-events.ts";
import { terminalSize } from "../life/container-routes.ts";
import { parseDetachKeys, untilDetached } from "../logs/detach-keys.ts";
import { streamType } from "../logs/stream-type.ts";
import type { DockerExec } from "./docker-execs.ts";
import { execConfig, execStart } from "./exec-config.ts";

/** The routes of `docker exec`. */
export function execRoutes(context: DockerContext): readonly DockerRoute[] {
  const { execs, registry } = context;
  return [
    route("POST /containers/{id}/exec", async ({ params, json }) => {
      const container = registry.find(params.id ?? "");
      const config = execConfig(await json(), "");
      if ((config.Cmd ?? []).length === 0) throw badRequest("No exec command specified");
      checkRunning(container);
      const exec = execs.create(container.id, config);
      emitExec(context, exec, "exec_create");
      return { status: 201, json: { Id: exec.id } };
    }),
    route("POST /exec/{id}/start", async ({ params, json, apiMinor }) => {
      const exec = execs.find(params.id ?? "");
      const start = execStart(await json(), "");
      const container = registry.find(exec.containerId);
      checkRunning(container);
      if (exec.state !== "created")
        throw conflict(
          `exec command ${exec.id} ${exec.state === "running" ? "is already running" : "has already run"}`,
        );
      const size = start.ConsoleSize ?? exec.config.ConsoleSize;
      if (!start.Detach)
        return {
          status: 200,
          headers: { "Content-Type": streamType(exec.config.Tty, apiMinor) },
          hijack: (connection) => runAttached(context, exec, connection, size),
        };
      const signal = new AbortController().signal;
      void run(context, exec, { signal }, size).catch((error) =>
        context.log.error("a detached command failed", error, { exec: exec.id }),
      );
      return { status: 200 };
    }),
    route("POST /exec/{id}/resize", ({ params, query }) => {
      const exec = execs.find(params.id ?? "");
      exec.sizes.push(terminalSize(query));
      return { status: 200 };
    }),
    route("GET /exec/{id}/json", ({ params }) => ({
      status: 200,
      json: inspected(execs.find(params.id ?? "")),
    })),
  ];
}

function checkRunning({ id, state, details }: DockerContainer): void {
  if (details.isRestarting)
    throw conflict(`Container ${id} is restarting, wait until the container is running`);
  if (state.phase !== "running") throw conflict(`container ${id} is not running`);
  if (state.isPaused)
    throw conflict(`Container ${id} is paused, unpause the container before exec`);
}

async function runAttached(
  context: DockerContext,
  exec: DockerExec,
  connection: HijackedConnection,
  size: readonly number[] | null,
): Promise<void> {
  const { Tty, AttachStdin, AttachStdout, AttachStderr, DetachKeys } = exec.config;
  const writer =
    (stream: "stdout" | "stderr") =>
    (bytes: Uint8Array): Promise<void> =>
      connection.write(Tty ? bytes : frame(stream, bytes));
  const left = new AbortController();
  const keys = parseDetachKeys(DetachKeys);
  const input = Tty ? untilDetached(connection.input, keys, () => left.abort()) : connection.input;
  const session: StreamSession = {
    ...(AttachStdin && { stdin: input }),
    ...(AttachStdout && { stdout: writer("stdout") }),
    ...(AttachStderr && { stderr: writer("stderr") }),
    resize: exec.sizes,
    // The command runs on when its client is gone.
    signal: new AbortController().signal,
  };
  const ended = run(context, exec, session, size).catch(async (error) => {
    const message = `${(error as Error).message}\r\n`;
    await connection.write(Tty ? message : frame("stderr", Buffer.from(message)));
  });
  await Promise.race([
    ended,
    new Promise<void>((resolve) => left.signal.addEventListener("abort", () => resolve())),
  ]);
}

async function run(
  context: DockerContext,
  exec: DockerExec,
  session: StreamSession,
  size: readonly number[] | null,
): Promise<void> {
  exec.state = "running";
  emitExec(context, exec, "exec_start");
  try {
    const command = await commandOf(context, exec, size);
    exec.exitCode = await context.containers.exec(exec.containerId, command, session);
  } catch (error) {
    const message = errorMessage(error);
    exec.exitCode = /permission denied/i.test(message) ? 126 : 127;
    throw new DockerError(400, message, { cause: error });
  } finally {
    exec.state = "ended";
    exec.pid = 0;
    exec.sizes.close();
    emitExec(context, exec, "exec_die", { exitCode: String(exec.exitCode ?? -1) });
  }
}

async function commandOf(
  context: DockerContext,
  exec: DockerExec,
  size: readonly number[] | null,
): Promise<ExecCommand> {
  const { config, containerId } = exec;
  const container = context.registry.find(containerId);
  const [height = 0, width = 0] = size ?? [];
  const variables = new Map(container.settings.env.map((one) => [one.split("=", 1)[0], one]));
  for (const one of config.Env ?? []) variables.set(one.split("=", 1)[0], one);
  return {
    args: config.Cmd ?? [],
    tty: config.Tty,
    env: [...variables.values()],
    ...(config.WorkingDir !== "" && { cwd: config.WorkingDir }),
    ...(config.User !== "" && { user: await userOf(context, container, config.User) }),
    privileged: config.Privileged,
    ...(width > 0 && height > 0 && { size: { width, height } }),
    onStart: (pid) => {
      exec.pid = pid;
    },
  };
}

async function userOf(context: DockerContext, container: DockerContainer, user: string) {
  const files = await readUserFiles(await context.containers.rootfs(container.id));
  return dockerUser({ user, groups: container.details.hostConfig.GroupAdd ?? [] }, files);
}

function inspected(exec: DockerExec): object {
  const { config } = exec;
  const [entrypoint = "", ...args] = config.Cmd ?? [];
  return {
    ID: exec.id,
    Running: exec.state === "running",
    ExitCode: exec.exitCode,
    ProcessConfig: {
      tty: config.Tty,
      entrypoint,
      arguments: args,
      privileged: config.Privileged,
      ...(config.User !== "" && { user: config.User }),
    },
    OpenStdin: config.AttachStdin,
    OpenStderr: config.AttachStderr,
    OpenStdout: config.AttachStdout,
    CanRemove: exec.state === "ended",
    ContainerID: exec.containerId,
    DetachKeys: "",
    Pid: exec.pid,
  };
}

/** Creation and start of a command have it in the name of the event. */
function emitExec(
  context: DockerContext,
  exec: DockerExec,
  action: string,
  attributes: Readonly<Record<string, string>> = {},
): void {
  const container = context.registry.get(exec.containerId);
  if (!container) return;
  const name = action === "exec_die" ? action : `${action}: ${(exec.config.Cmd ?? []).join(" ")}`;
  emitContainer(context.events, container, name, { execID: exec.id, ...attributes });
}
