import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWith, requires } from "../../../test/requires.ts";
import { type DockerTest, dockerTest } from "./docker-engine.test-support.ts";

describeWith(requires("containers", "docker", "nft"))("docker command", () => {
  let engine: DockerTest;
  beforeAll(async () => {
    engine = await dockerTest(1);
    await engine.load("busybox:latest");
  });
  afterAll(() => engine.remove());

  test("run: output, error output and exit code are the container's", async () => {
    const script = "echo out; echo err >&2; exit 7";
    const result = await engine.docker(["run", "--network=none", "busybox", "sh", "-c", script]);
    expect(result).toEqual({ code: 7, stdout: "out\n", stderr: "err\n" });
  });

  test("run --rm: input is passed on, and nothing is left", async () => {
    const input = "some input\n";
    const args = ["run", "--rm", "-i", "--network=none", "--name=gone", "busybox", "cat"];
    expect(await engine.docker(args, { input })).toEqual({ code: 0, stdout: input, stderr: "" });
    expect((await engine.docker(["inspect", "gone"])).stderr).toContain("No such object: gone");
  });

  test("run: a command that is missing ends with 127, one that cannot be run with 126", async () => {
    const missing = await engine.docker(["run", "--rm", "--network=none", "busybox", "nosuch"]);
    expect(missing.code).toBe(127);
    expect(missing.stderr).toContain(
      'docker: Error response from daemon: failed to create task for container: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: exec: "nosuch": executable file not found in $PATH: unknown',
    );
    const folder = await engine.docker(["run", "--rm", "--network=none", "busybox", "/etc"]);
    expect(folder.code).toBe(126);
    const unknown = await engine.docker(["run", "--pull=never", "nosuch"]);
    expect(unknown.code).toBe(125);
    expect(unknown.stderr).toContain("No such image: nosuch:latest");
  });
});
