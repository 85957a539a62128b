import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { describeWith, requires } from "../../../test/requires.ts";
import { type DockerTest, dockerTest } from "./docker-engine.test-support.ts";

describeWith(requires("containers", "docker", "nft"))("docker command", () => {
  let engine: DockerTest;
  const docker = (...args: readonly string[]) => engine.docker(args);
  const output = (...args: readonly string[]) => engine.output(...args);
  /** Starts a container without a network, which sleeps until it is told to end. */
  const sleeper = (name: string, ...options: readonly string[]) =>
    output("run", "-d", "--network=none", `--name=${name}`, ...options, "busybox", ...waits);
  const waits = ["sh", "-c", "trap 'exit 5' TERM; echo ready; while :; do sleep 0.05; done"];
  const format = (name: string, template: string) => output("inspect", "--format", template, name);

  beforeAll(async () => {
    engine = await dockerTest(1);
    await engine.load("busybox:latest");
  });
  afterAll(() => engine.remove());

  test("version and info: both sides are named", async () => {
    expect(await output("version", "--format", "{{.Server.Version}} {{.Server.APIVersion}}")).toBe(
      "28.2.2 1.47",
    );
    expect(await output("info", "--format", "{{.Driver}} {{.Swarm.LocalNodeState}}")).toBe(
      "overlay2 inactive",
    );
  });

  test("build, swarm and plugins are refused by name", async () => {
    for (const [args, message] of [
      [["swarm", "init"], "swarm is not supported by this engine: use Kubernetes"],
      [["plugin", "ls"], "plugins are not supported by this engine"],
      [["node", "ls"], "This node is not a swarm manager."],
      [["search", "x"], "searching registries is not supported by this engine"],
    ] as const) {
      const { code, stderr } = await engine.docker(args);
      expect(code).toBe(1);
      expect(stderr).toContain(message);
    }
  });

  test("run: output, error output and exit code are the container's", async () => {
    const script = "echo out; echo err >&2; exit 7";
    const result = await docker("run", "--network=none", "busybox", "sh", "-c", script);
    expect(result).toEqual({ code: 7, stdout: "out\n", stderr: "err\n" });
  });

  test("run --rm: input is passed on, and nothing is left", async () => {
    const input = "some input\n";
    const args = ["run", "--rm", "-i", "--network=none", "--name=gone", "busybox", "cat"];
    expect(await engine.docker(args, { input })).toEqual({ code: 0, stdout: input, stderr: "" });
    expect((await docker("inspect", "gone")).stderr).toContain("No such object: gone");
  });

  test("run: a command that is missing ends with 127, one that cannot be run with 126", async () => {
    const missing = await docker("run", "--rm", "--network=none", "busybox", "nosuch");
    expect(missing.code).toBe(127);
    expect(missing.stderr).toContain(
      'docker: Error response from daemon: failed to create task for container: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: exec: "nosuch": executable file not found in $PATH: unknown',
    );
    expect((await docker("run", "--rm", "--network=none", "busybox", "/etc")).code).toBe(126);
    const network = await docker("run", "--rm", "--network=nosuch", "busybox");
    expect(network.stderr).toContain(
      "failed to set up container networking: network nosuch not found",
    );
    expect(network.code).toBe(125);
    const unknown = await docker("run", "--pull=never", "nosuch");
    expect(unknown.code).toBe(125);
    expect(unknown.stderr).toContain("No such image: nosuch:latest");
  });

  test("create: errors are dockerd's", async () => {
    for (const [args, message] of [
      [
        ["--name=_", "busybox"],
        "Invalid container name (_), only [a-zA-Z0-9][a-zA-Z0-9_.-] are allowed",
      ],
      [["-m=1m", "busybox"], "Minimum memory limit allowed is 6MB"],
      [["--rm", "--restart=always", "busybox"], "conflicting options"],
      [
        ["-w=rel", "busybox"],
        "the working directory 'rel' is invalid, it needs to be an absolute path",
      ],
      [["-v=/:/", "busybox"], "invalid specification: destination can't be '/'"],
      [["--cap-add=nosuch", "busybox"], 'invalid CapAdd: unknown capability: "CAP_NOSUCH"'],
      [["--security-opt=nosuch=1", "busybox"], 'invalid --security-opt 2: "nosuch=1"'],
      [["--volumes-from=nosuch", "busybox"], "No such container: nosuch"],
    ] as const) {
      const { code, stderr } = await engine.docker(["create", ...args]);
      expect(stderr).toContain(message);
      expect(code).not.toBe(0);
    }
  });

  test("create, start, ps, rename, stop, restart, rm", async () => {
    const id = await output("create", "--network=none", "--name=life", "busybox", ...waits);
    expect(id).toMatch(/^[0-9a-f]{64}$/);
    const taken = await docker("create", "--name=life", "busybox");
    expect(taken.stderr).toContain(
      `Conflict. The container name "/life" is already in use by container "${id}". You have to remove (or rename) that container to be able to reuse that name.`,
    );
    expect(await format("life", "{{.State.Status}}")).toBe("created");
    expect(await output("start", "life")).toBe("life");
    await eventually(async () => expect(await output("logs", "life")).toBe("ready"));
    const columns = "{{.ID}} {{.Image}} {{.Command}} {{.Status}} {{.Names}}";
    expect(await output("ps", "--filter=name=life", "--format", columns)).toMatch(
      new RegExp(`^${id.slice(0, 12)} busybox "sh -c 'trap 'exit 5…" Up .* life$`),
    );
    await output("rename", "life", "life2");
    expect(await output("restart", "life2")).toBe("life2");
    await eventually(async () => expect(await output("logs", "life2")).toBe("ready\nready"));
    expect(await output("stop", "life2")).toBe("life2");
    expect(await format("life2", "{{.State.Status}} {{.State.ExitCode}} {{.State.Pid}}")).toBe(
      "exited 5 0",
    );
    expect(await output("ps", "-a", "--filter=exited=5", "--format", "{{.Names}}")).toBe("life2");
    expect(await output("ps", "-a", "--filter=name=life", "--format", "{{.Status}}")).toMatch(
      /^Exited \(5\) (?:Less than a second|\d+ seconds?) ago$/,
    );
    expect(await output("rm", "life2")).toBe("life2");
    expect((await docker("start", "life2")).stderr).toContain("No such container: life2");
  });

  test("kill, wait: the exit code is that of the signal", async () => {
    await sleeper("killed");
    const waiting = output("wait", "killed");
    expect(await output("kill", "killed")).toBe("killed");
    expect(await waiting).toBe("137");
    expect(await output("wait", "killed")).toBe("137");
    expect((await docker("kill", "killed")).stderr).toMatch(
      /cannot kill container: killed: container [0-9a-f]{64} is not running/,
    );
  });

  test("pause, unpause: a paused container cannot be started or removed", async () => {
    await sleeper("paused");
    await output("pause", "paused");
    expect(await output("ps", "--filter=name=paused", "--format={{.Status}}")).toContain(
      "(Paused)",
    );
    expect((await docker("start", "paused")).stderr).toContain(
      "cannot start a paused container, try unpause instead",
    );
    expect((await docker("exec", "paused", "true")).stderr).toContain(
      "is paused, unpause the container before exec",
    );
    expect((await docker("rm", "paused")).stderr).toContain(
      'cannot remove container "paused": container is paused and must be unpaused first',
    );
    await output("unpause", "paused");
    expect(await output("rm", "-f", "paused")).toBe("paused");
  });

  test("exec: streams, user, folder, variables, exit code", async () => {
    await sleeper("execs");
    const result = await engine.docker(
      [
        "exec",
        "-i",
        "-e",
        "A=b",
        "-w",
        "/tmp",
        "-u",
        "nobody",
        "execs",
        "sh",
        "-c",
        "id -u; pwd; echo $A; cat; echo err >&2; exit 3",
      ],
      { input: "in\n" },
    );
    expect(result).toEqual({ code: 3, stdout: "65534\n/tmp\nb\nin\n", stderr: "err\n" });
    expect((await docker("exec", "execs", "nosuch")).code).toBe(127);
    await output("exec", "-d", "execs", "touch", "/detached");
    await eventually(() => output("exec", "execs", "test", "-e", "/detached"));
    await output("rm", "-f", "execs");
  });

  test("logs: tail, timestamps, since, follow", async () => {
    const script = "echo one; echo two >&2; echo three; printf end";
    await docker("run", "--network=none", "--name=logged", "busybox", "sh", "-c", script);
    expect(await docker("logs", "logged")).toEqual({
      code: 0,
      stdout: "one\nthree\nend",
      stderr: "two\n",
    });
    expect(await output("logs", "--tail=1", "logged")).toBe("end");
    expect(await output("logs", "-t", "--tail=1", "logged")).toMatch(
      /^\d{4}-\d\d-\d\dT[\d:.]{18}Z end$/,
    );
    expect((await docker("logs", "--since=1h", "-f", "logged")).stdout).toBe("one\nthree\nend");
    expect((await docker("logs", "--until=1h", "logged")).stdout).toBe("");
  });

  test("attach: output from now on, until the container ends", async () => {
    await output(
      "run",
      "-d",
      "-i",
      "--network=none",
      "--name=attached",
      "busybox",
      "sh",
      "-c",
      "read a; echo got $a; exit 4",
    );
    const result = await engine.docker(["attach", "attached"], { input: "it\n" });
    expect(result).toEqual({ code: 4, stdout: "got it\n", stderr: "" });
  });

  test("top, stats, update", async () => {
    await sleeper("shown", "-m=64m");
    expect(await output("top", "shown")).toMatch(/^UID +PID .*\n.*\n?root .*sh -c trap/);
    const stats = await output(
      "stats",
      "--no-stream",
      "--format",
      "{{.Name}} {{.MemUsage}} {{.PIDs}}",
      "shown",
    );
    expect(stats).toMatch(/^shown [\d.]+[KMG]iB \/ 64MiB [12]$/);
    expect(await output("update", "-m=128m", "--memory-swap=256m", "shown")).toBe("shown");
    expect(await format("shown", "{{.HostConfig.Memory}}")).toBe(String(128 * 1024 * 1024));
    await output("rm", "-f", "shown");
  });

  test("cp, diff, export: files of a container", async () => {
    const folder = join(engine.root, "files");
    mkdirSync(folder);
    writeFileSync(join(folder, "in"), "content");
    await output(
      "create",
      "--network=none",
      "--name=files",
      "busybox",
      "sh",
      "-c",
      "cat /in; rm /in; mkdir -p /d; echo x > /d/f; rm /etc/group",
    );
    await output("cp", join(folder, "in"), "files:/");
    expect(await output("start", "-a", "files")).toBe("content");
    await output("cp", "files:/d", folder);
    expect(readFileSync(join(folder, "d", "f"), "utf8")).toBe("x\n");
    const piped = await docker("cp", "files:/d/f", "-");
    expect(piped.stdout).toContain("ustar");
    expect((await docker("cp", "files:/nosuch", folder)).stderr).toContain(
      "Could not find the file /nosuch in container files",
    );
    expect((await output("diff", "files")).split("\n").sort()).toEqual([
      "A /d",
      "A /d/f",
      "C /etc",
      "D /etc/group",
    ]);
    await output("export", "-o", join(folder, "all.tar"), "files");
    const { stdout } = await engine.docker(["cp", "-", "files:/tmp"], {
      input: readFileSync(join(folder, "all.tar")),
    });
    expect(stdout).toBe("");
  });

  test("export: a new container has the files that are mounted over", async () => {
    await output("create", "--network=none", "--name=fresh", "busybox");
    const archive = join(engine.root, "fresh.tar");
    await output("export", "-o", archive, "fresh");
    const text = readFileSync(archive, "latin1");
    for (const name of [
      ".dockerenv",
      "dev/console",
      "dev/pts/",
      "dev/shm/",
      "etc/hostname",
      "etc/hosts",
      "etc/mtab",
      "etc/resolv.conf",
      "proc/",
      "sys/",
    ])
      expect(text).toContain(`${name}\0`);
    expect(await output("diff", "fresh")).toBe("");
  });

  test("events: a container's life", async () => {
    const since = String(Math.floor(Date.now() / 1000));
    const child = spawn(
      "docker",
      [
        "events",
        "--since",
        since,
        "--filter=container=lived",
        "--format={{.Action}} {{.Actor.Attributes.exitCode}}",
      ],
      { env: engine.env },
    );
    let text = "";
    child.stdout.on("data", (bytes) => {
      text += bytes;
    });
    await docker("run", "--rm", "--network=none", "--name=lived", "busybox", "sh", "-c", "exit 3");
    await eventually(() =>
      expect(
        text
          .replaceAll(" <no value>", "")
          .split("\n")
          .map((line) => line.trim()),
      ).toEqual(["create", "attach", "start", "die 3", "destroy", ""]),
    );
    child.kill();
  });

  test("prune, system df: what does not run is removed", async () => {
    expect(await output("system", "df", "--format", "{{.Type}} {{.TotalCount}}")).toContain(
      "Images 1",
    );
    expect(await output("container", "prune", "-f")).toContain("Deleted Containers:");
    expect(await output("ps", "-a", "--filter=status=exited", "-q")).toBe("");
    expect(await output("system", "prune", "-f")).toContain("Total reclaimed space: ");
  });
});
