import { expect, test } from "vitest";
import { webSocketToken, withoutBearer } from "./web-socket-token.ts";

const prefix = "base64url.bearer.authorization.k8s.io.";
const asking = (protocols: string, upgrade = "websocket") =>
  webSocketToken({
    headers: { connection: "keep-alive, Upgrade", upgrade, "sec-websocket-protocol": protocols },
  });

test.each([
  [`${prefix}YWJj, x`, { token: "abc" }],
  [`x,${prefix}w7zDvw`, { token: "üÿ" }],
  ["x", undefined],
  ["", undefined],
  [`${prefix},x`, undefined],
  [`${prefix}YWJj`, { error: "missing additional subprotocol" }],
  [
    `${prefix}YWJj,${prefix}YWJj,x`,
    { error: "multiple base64.bearer.authorization tokens specified" },
  ],
  [`${prefix}YW=,x`, { error: "invalid base64.bearer.authorization token encoding" }],
  [`${prefix}_w,x`, { error: "invalid base64.bearer.authorization token" }],
])("webSocketToken: %s", (protocols, found) => {
  expect(asking(protocols)).toEqual(found);
});

test("webSocketToken: only requests for a WebSocket have one", () => {
  expect(asking(`${prefix}YWJj, x`, "SPDY/3.1")).toBe(undefined);
});

test("withoutBearer: the token is not passed on", () => {
  expect(withoutBearer(`a, ${prefix}YWJj, b`)).toBe("a,b");
  expect(withoutBearer("a, b")).toBe("a, b");
});
