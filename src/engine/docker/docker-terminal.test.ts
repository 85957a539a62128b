import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { describeWith, requires } from "../../../test/requires.ts";
import { type ProgramInTerminal, runInTerminal } from "../terminal.test-support.ts";
import { type DockerTest, dockerTest } from "./docker-engine.test-support.ts";

describeWith(requires("containers", "docker", "nft"))("docker command in a terminal", () => {
  let engine: DockerTest;
  beforeAll(async () => {
    engine = await dockerTest(2);
    await engine.load("busybox:latest");
  });
  afterAll(() => engine.remove());

  const terminal = (...args: readonly string[]): ProgramInTerminal =>
    runInTerminal("docker", args, engine.env);

  test("run -it: a shell with the size of the terminal, and its exit code", async () => {
    const { pty, text, ended } = terminal("run", "-it", "--rm", "--network=none", "busybox", "sh");
    await eventually(() => expect(text()).toContain("/ # "));
    pty.write("stty size; tty\r");
    await eventually(() => expect(text()).toMatch(/40 100\r\n\/dev\//));
    pty.resize(120, 50);
    await eventually(() => {
      pty.write("stty size\r");
      expect(text()).toContain("50 120");
    });
    pty.write("exit 9\r");
    expect(await ended).toBe(9);
  });

  test("exec -it: a terminal of its own; Ctrl-C reaches the command", async () => {
    await engine.output("run", "-d", "--network=none", "--name=term", "busybox", "sleep", "1000");
    const { pty, text, ended } = terminal("exec", "-it", "term", "sh");
    await eventually(() => expect(text()).toContain("/ # "));
    pty.write("stty size\r");
    await eventually(() => expect(text()).toContain("40 100"));
    pty.write("sleep 1000\r");
    await eventually(async () =>
      expect((await engine.output("top", "term")).match(/sleep 1000/g)).toHaveLength(2),
    );
    pty.write("\x03");
    pty.write("exit 4\r");
    expect(await ended).toBe(4);
  });

  test("the detach keys leave the container running; attach comes back", async () => {
    const { pty, text, ended } = terminal(
      "run",
      "-it",
      "--name=left",
      "--network=none",
      "busybox",
      "sh",
    );
    await eventually(() => expect(text()).toContain("/ # "));
    pty.write("\x10\x11");
    expect(await ended).toBe(0);
    expect(await engine.output("inspect", "--format={{.State.Running}}", "left")).toBe("true");
    const again = terminal("attach", "left");
    await eventually(() => {
      again.pty.write("\r");
      expect(again.text()).toContain("/ # ");
    });
    again.pty.write("exit 6\r");
    expect(await again.ended).toBe(6);
  });
});
