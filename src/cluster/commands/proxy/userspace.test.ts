import { connect } from "node:net";
import { buffer } from "node:stream/consumers";
import { expect } from "vitest";
import { eventually } from "../../../../test/eventually.ts";
import { requires, testWith } from "../../../../test/requires.ts";
import { testImage } from "../../../engine/engine.test-support.ts";
import { busyboxImage, ociArchive } from "../../../engine/images/oci-image.test-support.ts";
import { newMachine } from "../../up/machine.test-support.ts";

const minutes = 120_000;

testWith(requires("boxes", "containers", "kubectl", "nft"))(
  "wherry proxy --userspace: services are reached through the API server, and their changes are followed",
  async () => {
    const machine = newMachine({ nodes: "real" });
    const { run, kubectl, start } = machine;
    expect(await run("up")).toMatchObject({ code: 0 });
    const archive = await buffer(ociArchive(busyboxImage(), testImage));
    await machine.feed(archive, "image", "load", "--cluster", "wherry", "-");
    const serve = (name: string) =>
      kubectl(
        ...["run", name, `--image=${testImage}`, "--labels=app=web", "--", "sh", "-c"],
        `echo ${name} > /index.html; httpd -f -p 8080 -h /`,
      );
    await serve("first");
    await kubectl("create", "service", "clusterip", "web", "--tcp=8123:8080");
    const proxy = start("proxy", "--userspace", "--service", "default/web");
    const [, port = ""] = await proxy.until(
      /127\.0\.0\.1:(\d+) +1 endpoint, through the API server/,
    );
    const get = async () => (await fetch(`http://127.0.0.1:${port}/`)).text();
    expect(await get()).toBe("first\n");
    // A client that has sent all still gets the response.
    const socket = connect({ port: Number(port), host: "127.0.0.1", allowHalfOpen: true });
    socket.end("GET / HTTP/1.0\r\n\r\n");
    expect(String(await buffer(socket))).toMatch(/\r\n\r\nfirst\n$/);
    // Many connections at a time, each through a forward of its own.
    expect(new Set(await Promise.all(Array.from({ length: 20 }, get)))).toEqual(
      new Set(["first\n"]),
    );
    await serve("second");
    await kubectl("wait", "--for=condition=Ready", "pod/second", "--timeout=30s");
    await kubectl("delete", "pod", "first", "--grace-period=0", "--force");
    await eventually(async () => expect(await get()).toBe("second\n"));
    await kubectl("delete", "service", "web");
    await proxy.until(/default\/web +\S* ?8123\/TCP +- +the service is gone/);
    await expect(get()).rejects.toThrow();
    expect(await proxy.end()).toMatchObject({ code: 0 });
    expect(await run("delete", "--yes")).toMatchObject({ code: 0 });
  },
  minutes,
);
