import { expect, test } from "vitest";
import { streamUpgrade } from "./stream-upgrade.ts";

const name = "x-stream-protocol-version";
const spdy = { connection: "Upgrade", upgrade: "SPDY/3.1" };

function answer(headers: Record<string, string>): readonly [number, string | undefined] {
  const {
    status,
    headers: sent,
    body,
  } = streamUpgrade({ method: "POST", headers }, ["v4", "v3"], async () => {});
  return [status, body ?? sent[name]];
}

test.each<[Record<string, string>, number, string]>([
  [{ ...spdy, [name]: "v4" }, 101, "v4"],
  [{ ...spdy, [name]: "v9, v3,v4" }, 101, "v3"],
  [
    { ...spdy, host: "h" },
    400,
    "unable to upgrade: header X-Stream-Protocol-Version does not exist in request with 3 headers\n",
  ],
  [
    { ...spdy, [name]: " , " },
    400,
    "unable to upgrade: header X-Stream-Protocol-Version contains [ , ], but no valid protocols\n",
  ],
  [
    { ...spdy, [name]: "v9, v8" },
    403,
    "unable to upgrade: unable to negotiate protocol: client supports [v9 v8], server accepts [v4 v3]\n",
  ],
  [
    { host: "h", "user-agent": "me", [name]: "v4" },
    400,
    'unable to upgrade: missing upgrade headers in request: http.Header{"User-Agent":[]string{"me"}, "X-Stream-Protocol-Version":[]string{"v4"}}\n',
  ],
])("streamUpgrade: %j", (headers, status, text) => {
  expect(answer(headers)).toEqual([status, text]);
});
