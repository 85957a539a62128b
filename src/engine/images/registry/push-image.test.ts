import { expect, test } from "vitest";
import { testImages } from "../images.test-support.ts";
import { buildImage, ociArchive, tarOf } from "../oci-image.test-support.ts";
import { parseReference } from "../reference.ts";
import { startRegistry } from "../test-registry.test-support.ts";
import type { PushProgress } from "./push-image.ts";

const layer = tarOf([{ name: "a", content: "a".repeat(5000) }]);
const image = buildImage([layer, layer], { Cmd: ["x"] });

async function imagesWith(host: string) {
  const images = await testImages({ registry: { hostsFolders: [], retryMs: 1 } });
  await images.load(ociArchive(image, "docker.io/library/app:1"));
  await images.store.tag(image.id, parseReference(`${host}/team/app:1`));
  return images;
}

test("push: sends what the registry does not have, and what was pushed can be pulled", async () => {
  const registry = await startRegistry({ auth: "token", user: "u:p" });
  const images = await imagesWith(registry.host);
  const progress: PushProgress[] = [];
  const auth = { username: "u", password: "p" };
  const name = `${registry.host}/team/app:1`;
  const pushed = await images.push(name, { auth, onProgress: (one) => progress.push(one) });
  expect(pushed.digest).toBe(image.manifest);
  expect([...new Set(progress.map(({ status }) => status))]).toEqual([
    "Preparing",
    "Pushing",
    "Pushed",
  ]);
  expect(images.store.resolve(image.id)?.digests).toEqual([
    `${registry.host}/team/app@${image.manifest}`,
  ]);
  const other = await testImages({ registry: { hostsFolders: [] } });
  expect((await other.pull(name, { auth })).image.id).toBe(image.id);
  progress.length = 0;
  await images.push(name, { auth, onProgress: (one) => progress.push(one) });
  expect(progress.map(({ status }) => status)).toEqual(["Preparing", "Layer already exists"]);
});

test("push: an upload that breaks off is sent again", async () => {
  let broken = 0;
  const registry = await startRegistry({
    intercept: ({ request }) => {
      if (request.method !== "PATCH" || broken++ > 0) return false;
      request.socket.destroy();
      return true;
    },
  });
  const images = await imagesWith(registry.host);
  await images.push(`${registry.host}/team/app:1`);
  expect(registry.tags.get("team/app:1")).toBe(image.manifest);
});

test("push: refusals are told in the registry's words", async () => {
  const registry = await startRegistry({
    intercept: ({ request, response }) => {
      if (request.method !== "POST") return false;
      response.writeHead(403);
      response.end(
        '{"errors":[{"code":"DENIED","message":"requested access to the resource is denied"}]}',
      );
      return true;
    },
  });
  const images = await imagesWith(registry.host);
  await expect(images.push(`${registry.host}/team/app:1`)).rejects.toThrow(
    /^denied: requested access to the resource is denied$/,
  );
  await expect(images.push(`${registry.host}/nothing:1`)).rejects.toThrow(
    `An image does not exist locally with the tag: ${registry.host}/nothing`,
  );
});

test("push: an upload that continues on another host gets no credentials", async () => {
  const storage = await startRegistry();
  const registry = await startRegistry({
    auth: "basic",
    user: "u:p",
    intercept: ({ request, response }) => {
      if (request.method !== "POST" || !request.headers.authorization) return false;
      const location = `http://${storage.host}/v2/team/app/blobs/uploads/${broken++}`;
      return !!response.writeHead(202, { Location: location }).end();
    },
  });
  let broken = 0;
  const images = await imagesWith(registry.host);
  await images.push(`${registry.host}/team/app:1`, { auth: { username: "u", password: "p" } });
  expect(storage.requests.some((request) => request.startsWith("PATCH"))).toBe(true);
  expect(storage.headers.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
});
