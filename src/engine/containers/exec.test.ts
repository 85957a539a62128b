import { expect, test } from "vitest";
import { ExecFiles, execProcess } from "./exec.ts";
import { ociConfig } from "./oci/oci-config.ts";
import { plainSettings } from "./oci/plain-settings.test-support.ts";

const { process: container } = ociConfig({ ...plainSettings, env: ["A=1"] }, { rootfs: "/" });

test("execProcess: what a command does not say is the container's", () => {
  const made = execProcess(container, { args: ["ls"], tty: false });
  expect(made).toMatchObject({ args: ["ls"], terminal: false, env: ["A=1"], cwd: "/" });
  expect(made).not.toHaveProperty("rlimits");
});

test("execProcess: a command can have its own user, folder, environment and terminal", () => {
  const user = { uid: 5, gid: 6, additionalGids: [7] };
  const size = { width: 80, height: 25 };
  expect(
    execProcess(container, { args: ["sh"], tty: true, user, cwd: "/tmp", env: ["B=2"], size }),
  ).toMatchObject({
    terminal: true,
    user,
    cwd: "/tmp",
    env: ["B=2", "TERM=xterm"],
    consoleSize: size,
  });
});

test("ExecFiles: a command that has not started cannot be killed", () => {
  const files = new ExecFiles("/nowhere/exec");
  files.kill();
  expect([files.hasStarted(), files.startedPid()]).toEqual([false, undefined]);
});
