import { expect, test } from "vitest";
import { toApiRequest } from "../in-process.test-support.ts";
import { openTokenServer } from "./token-server.test-support.ts";

test("anonymous requests may be allowed for some paths only, as they are after decoding", async () => {
  const { server, review } = await openTokenServer({
    anonymousAuth: { paths: new Set(["/livez", "/healthz"]) },
  });
  const status = async (path: string) =>
    (await server.handle({ ...toApiRequest({ path }), peer: undefined })).status;
  const found: Record<string, number> = {};
  for (const path of [
    "/livez",
    "/%6Civez",
    "/livez?verbose",
    "/livez/",
    "/livez/ping",
    "/readyz",
    "/api",
  ])
    found[path] = await status(path);
  expect(found).toEqual({
    "/livez": 200,
    // It is allowed, and there is no such document.
    "/%6Civez": 404,
    "/livez?verbose": 200,
    "/livez/": 401,
    "/livez/ping": 401,
    "/readyz": 401,
    "/api": 401,
  });
  expect(await review(" ")).toMatchObject({ user: {} });
});
