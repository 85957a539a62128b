import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWith, requires } from "../../../test/requires.ts";
import { busyboxImage } from "../images/oci-image.test-support.ts";
import { startRegistry } from "../images/test-registry.test-support.ts";
import { type DockerTest, dockerTest } from "./docker-engine.test-support.ts";

describeWith(requires("containers", "docker", "nft"))("images and the docker command", () => {
  let engine: DockerTest;
  const docker = (...args: readonly string[]) => engine.docker(args);
  const output = (...args: readonly string[]) => engine.output(...args);

  beforeAll(async () => {
    engine = await dockerTest(7);
    await engine.load("busybox:latest");
  });
  afterAll(() => engine.remove());

  test("docker run nginx ls: the image is pulled, its entry point runs the command", async () => {
    const registry = await startRegistry();
    const entry = {
      name: "docker-entrypoint.sh",
      mode: 0o755,
      content: '#!/bin/sh\necho entry; exec "$@"\n',
    };
    registry.add(
      "library/nginx:latest",
      busyboxImage({
        files: [entry],
        Entrypoint: ["/docker-entrypoint.sh"],
        Cmd: ["nginx", "-g", "daemon off;"],
        ExposedPorts: { "80/tcp": {} },
        StopSignal: "SIGQUIT",
        Env: ["PATH=/bin", "NGINX_VERSION=1"],
      }),
    );
    engine.mirror(registry.host);
    const { code, stdout, stderr } = await docker("run", "--name=nginx", "nginx", "ls");
    expect({ code, stderr: stderr.split("\n").slice(0, 2) }).toEqual({
      code: 0,
      stderr: ["Unable to find image 'nginx:latest' locally", "latest: Pulling from library/nginx"],
    });
    expect(stderr).toContain("Status: Downloaded newer image for nginx:latest");
    expect(stdout.split("\n")).toEqual([
      "entry",
      "bin",
      "dev",
      "docker-entrypoint.sh",
      "etc",
      "home",
      "proc",
      "root",
      "sys",
      "tmp",
      "",
    ]);
    const template =
      "{{.Config.Entrypoint}} {{.Config.Cmd}} {{.Config.StopSignal}} {{.Config.ExposedPorts}} {{.Config.Env}}";
    expect(await output("inspect", "--format", template, "nginx")).toBe(
      "[/docker-entrypoint.sh] [ls] SIGQUIT map[80/tcp:{}] [PATH=/bin NGINX_VERSION=1]",
    );
    expect(await output("pull", "nginx")).toMatch(
      /^Using default tag: latest\nlatest: Pulling from library\/nginx\nDigest: sha256:[0-9a-f]{64}\nStatus: Image is up to date for nginx:latest\ndocker.io\/library\/nginx:latest$/,
    );
    const missing = await docker("pull", "nginx:nosuch");
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain(
      "manifest for nginx:nosuch not found: manifest unknown: manifest unknown",
    );
    const inUse = await docker("rmi", "nginx");
    expect(inUse.stderr).toContain("conflict: unable to remove repository reference");
    await output("rm", "nginx");
    const removed = (await output("rmi", "nginx")).split("\n");
    expect(removed[0]).toBe("Untagged: nginx:latest");
    expect(removed.filter((line) => line.startsWith("Deleted: sha256:")).length).toBeGreaterThan(0);
  });

  test("images, tag, history, inspect, rmi: names of an image", async () => {
    await output("tag", "busybox", "other/name:v1");
    expect(
      await output("images", "--filter=reference=other/*", "--format={{.Repository}}:{{.Tag}}"),
    ).toBe("other/name:v1");
    expect(await output("images", "-q", "busybox")).toBe(
      await output("images", "-q", "other/name:v1"),
    );
    expect(await output("history", "--format={{.CreatedBy}}", "busybox")).toBe("test");
    expect(
      await output(
        "image",
        "inspect",
        "--format={{.Os}} {{.Config.Cmd}} {{len .RootFS.Layers}}",
        "busybox",
      ),
    ).toBe("linux [sh] 1");
    expect((await output("rmi", "other/name:v1")).split("\n")).toEqual(["Untagged: other/name:v1"]);
    expect((await docker("rmi", "nosuch")).stderr).toContain("No such image: nosuch:latest");
  });

  test("commit, save, load: what a container wrote is in its image", async () => {
    await docker(
      "run",
      "--network=none",
      "--name=writer",
      "busybox",
      "sh",
      "-c",
      "echo new > /new; rm /etc/group",
    );
    const id = await output(
      "commit",
      "-m=why",
      "-a=who",
      "-c=CMD cat /new",
      "-c=ENV A=b",
      "writer",
      "made:1",
    );
    expect(id).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(await output("run", "--rm", "--network=none", "made:1")).toBe("new");
    expect(
      await output(
        "run",
        "--rm",
        "--network=none",
        "made:1",
        "sh",
        "-c",
        "echo $A; ls /etc | grep -c group || true",
      ),
    ).toBe("b\n0");
    const file = join(engine.root, "made.tar");
    await output("save", "-o", file, "made:1");
    await output("rmi", "made:1");
    expect((await docker("run", "--pull=never", "made:1")).code).toBe(125);
    expect(await output("load", "-i", file)).toBe("Loaded image: made:1");
    expect(
      await output("image", "inspect", "--format={{.Id}} {{.Author}} {{.Comment}}", "made:1"),
    ).toBe(`${id} who why`);
    const broken = await engine.docker(["load"], { input: "no archive" });
    expect(broken.code).toBe(1);
  });

  test("import and export: a file system as an image of one layer", async () => {
    await output("create", "--network=none", "--name=exported", "busybox");
    const file = join(engine.root, "fs.tar");
    await output("export", "-o", file, "exported");
    expect(existsSync(file)).toBe(true);
    const imported = await engine.docker(
      ["import", "-c", 'ENTRYPOINT ["echo","hi"]', "-", "flat:1"],
      { input: readFileSync(file) },
    );
    expect(imported.stdout).toMatch(/^sha256:[0-9a-f]{64}\n$/);
    expect(await output("run", "--rm", "--network=none", "flat:1")).toBe("hi");
    expect(await output("history", "--format={{.Comment}}", "flat:1")).toBe("Imported from -");
  });

  test("login, push, and pull again", async () => {
    const registry = await startRegistry({ auth: "basic", user: "me:secret" });
    const name = `${registry.host}/app:1`;
    const wrong = await engine.docker(["login", "-u=me", "--password-stdin", registry.host], {
      input: "wrong",
    });
    expect(wrong.code).toBe(1);
    await output("tag", "busybox", name);
    const login = await engine.docker(["login", "-u=me", "--password-stdin", registry.host], {
      input: "secret",
    });
    expect(login.stdout).toContain("Login Succeeded");
    const pushed = await output("push", name);
    expect(pushed).toContain(`The push refers to repository [${registry.host}/app]`);
    expect(pushed).toMatch(/^1: digest: sha256:[0-9a-f]{64} size: \d+$/m);
    await output("rmi", name);
    expect(await output("pull", name)).toContain(`Status: Downloaded newer image for ${name}`);
    await output("logout", registry.host);
    await output("rmi", name);
    expect((await docker("pull", name)).stderr).toContain("pull access denied for");
  });

  test("dangling images have no name, and are pruned", async () => {
    await output("commit", "exported", "moved:1");
    await docker("run", "--network=none", "--name=again", "busybox", "touch", "/x");
    await output("commit", "again", "moved:1");
    const dangling = ["images", "-q", "--filter=dangling=true", "--no-trunc"];
    const id = await output(...dangling);
    expect(id).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(await output("image", "prune", "-f")).toContain(`deleted: ${id}`);
    expect(await output(...dangling)).toBe("");
  });
});
