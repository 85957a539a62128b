import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWith, requires } from "../../../test/requires.ts";
import { type DockerTest, dockerTest } from "./docker-engine.test-support.ts";

describeWith(requires("containers", "docker", "nft"))("volumes and settings of containers", () => {
  let engine: DockerTest;
  const docker = (...args: readonly string[]) => engine.docker(args);
  const output = (...args: readonly string[]) => engine.output(...args);
  const run = (options: readonly string[], script: string) =>
    output("run", "--rm", "--network=none", ...options, "busybox", "sh", "-c", script);

  beforeAll(async () => {
    engine = await dockerTest(5);
    const files = [
      { name: "data/", type: "folder", mode: 0o750, uid: 65534 },
      { name: "data/seed", content: "from image" },
    ] as const;
    await engine.load("busybox:latest");
    await engine.load("seeded:latest", { files, Volumes: { "/data": {} }, User: "nobody" });
  });
  afterAll(() => engine.remove());

  test("volume: create, inspect, use, in use, rm", async () => {
    expect(await output("volume", "create", "--label=x=y", "vol")).toBe("vol");
    expect(await output("volume", "inspect", "--format={{.Driver}} {{.Labels.x}}", "vol")).toBe(
      "local y",
    );
    await run(["-v=vol:/v"], "echo kept > /v/f");
    expect(await run(["-v=vol:/v:ro"], "cat /v/f; touch /v/g 2>&1 || true")).toBe(
      "kept\ntouch: /v/g: Read-only file system",
    );
    const id = await output("create", "-v=vol:/v", "--name=user", "busybox");
    expect((await docker("volume", "rm", "vol")).stderr).toContain(
      `remove vol: volume is in use - [${id}]`,
    );
    await output("rm", "user");
    expect(await output("volume", "rm", "vol")).toBe("vol");
    expect((await docker("volume", "inspect", "vol")).stderr).toContain("get vol: no such volume");
  });

  test("a new volume has what the image has at its path, with its owner; it goes with rm -v", async () => {
    const id = await output(
      "create",
      "--network=none",
      "seeded",
      "sh",
      "-c",
      "cat /data/seed; id -u; stat -c '%u %a' /data",
    );
    expect(await output("start", "-a", id)).toBe("from image65534\n65534 750");
    expect(await output("volume", "ls", "-q", "--filter=dangling=false")).toMatch(/^[0-9a-f]{64}$/);
    await output("rm", "-v", id);
    expect(await output("volume", "ls", "-q")).toBe("");
  });

  test("volumes-from, bind and tmpfs mounts", async () => {
    const folder = join(engine.root, "bound");
    mkdirSync(folder);
    writeFileSync(join(folder, "f"), "host\n");
    await output("create", "-v=/anon", "-v", `${folder}:/b`, "--name=donor", "busybox");
    expect(await run(["--volumes-from=donor:ro"], "cat /b/f; touch /anon/x 2>&1 || true")).toBe(
      "host\ntouch: /anon/x: Read-only file system",
    );
    await run(["--mount", `type=bind,src=${folder},dst=/b`], "echo inside > /b/g");
    expect(readFileSync(join(folder, "g"), "utf8")).toBe("inside\n");
    const missing = await docker("create", "--mount", "type=bind,src=/nosuch/x,dst=/b", "busybox");
    expect(missing.stderr).toContain(
      'invalid mount config for type "bind": bind source path does not exist: /nosuch/x',
    );
    expect(
      await run(["--tmpfs=/t:size=1m"], "df -m /t | tail -1 | tr -s ' ' | cut -d' ' -f1,2"),
    ).toBe("tmpfs 1");
    await output("rm", "-v", "donor");
    expect(await output("volume", "prune", "-f")).toContain("Total reclaimed space: ");
  });

  test("settings reach the container", async () => {
    for (const [options, script, expected] of [
      [
        ["--read-only", "-u=nobody", "--cap-drop=ALL", "--security-opt=no-new-privileges"],
        "touch /x 2>&1; id -u; id -g; grep -E 'CapEff|NoNewPrivs' /proc/self/status | cut -f2",
        "touch: /x: Read-only file system\n65534\n65534\n0000000000000000\n1",
      ],
      [
        ["-w=/new/dir", "-e=A=1", "--hostname=name", "--group-add=7", "--ulimit=nofile=99:100"],
        "pwd; echo $A $HOSTNAME; hostname; id -G; ulimit -Sn; ulimit -Hn",
        "/new/dir\n1 name\nname\n0 7\n99\n100",
      ],
      [
        ["--sysctl=net.ipv4.ip_forward=1", "--shm-size=2m", "--device=/dev/null:/dev/mine"],
        "cat /proc/sys/net/ipv4/ip_forward; df -m /dev/shm | tail -1 | tr -s ' ' | cut -d' ' -f2; ls /dev/mine",
        "1\n2\n/dev/mine",
      ],
      [
        ["--add-host=other:10.1.2.3", "--dns=10.9.8.7", "--dns-search=s.test"],
        "grep other /etc/hosts; cat /etc/resolv.conf",
        "10.1.2.3\tother\nnameserver 10.9.8.7\nsearch s.test",
      ],
      [
        ["--privileged", "--pid=host", "--uts=host"],
        "grep Seccomp: /proc/self/status | cut -f2; test -w /proc/sys && echo rw; test $$ -gt 1 && echo host; hostname",
        `0\nrw\nhost\n${hostname()}`,
      ],
      [["--security-opt=seccomp=unconfined", "--entrypoint=echo"], "x", "sh -c x"],
    ] as const)
      expect([options, await run(options, script)]).toEqual([options, expected]);
  });

  test("limits are those of the cgroup", async () => {
    await output(
      "run",
      "-d",
      "--network=none",
      "--name=limited",
      "-m=32m",
      "--cpus=0.5",
      "--pids-limit=20",
      "busybox",
      "sleep",
      "1000",
    );
    const limits =
      "{{.HostConfig.Memory}} {{.HostConfig.MemorySwap}} {{.HostConfig.NanoCpus}} {{.HostConfig.PidsLimit}}";
    expect(await output("inspect", "--format", limits, "limited")).toBe(
      "33554432 67108864 500000000 20",
    );
    const id = await output("inspect", "--format={{.Id}}", "limited");
    const stats = await engine.engine.cgroups.stats(`/docker/${id}`);
    expect([stats?.memory.limitBytes, stats?.pids.limit]).toEqual([33_554_432, 20]);
    const oom = await docker(
      "run",
      "--network=none",
      "--name=oom",
      "-m=8m",
      "busybox",
      "sh",
      "-c",
      "tail -c 64m /dev/zero",
    );
    expect(oom.code).toBe(137);
    expect(await output("inspect", "--format={{.State.OOMKilled}}", "oom")).toBe("true");
    await output("rm", "-f", "limited", "oom");
  });
});

describeWith(requires("containers", "docker", "nft", "catatonit"))("--init", () => {
  test("a program that reaps is the first process", async () => {
    const engine = await dockerTest(6);
    try {
      await engine.load("busybox:latest");
      const args = [
        "run",
        "--rm",
        "--init",
        "--network=none",
        "busybox",
        "sh",
        "-c",
        "tr '\\0' ' ' < /proc/1/cmdline",
      ];
      expect(await engine.output(...args)).toMatch(/^\/dev\/init -- sh -c /);
    } finally {
      await engine.remove();
    }
  });
});
