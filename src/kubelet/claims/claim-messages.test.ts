import { expect, test } from "vitest";
import {
  NodePrepareResourcesRequest,
  NodePrepareResourcesResponse,
  NodeUnprepareResourcesResponse,
  NodeWatchResourcesResponse,
} from "./claim-messages.ts";

/** Bytes by hexadecimal digits and, in quotes, text. */
const bytes = (text: string): Uint8Array =>
  new Uint8Array(
    [...text.matchAll(/'([^']*)'|([0-9a-f]{2})/g)].flatMap(([, letters, hex = ""]) =>
      letters === undefined ? [Number.parseInt(hex, 16)] : [...new TextEncoder().encode(letters)],
    ),
  );

// The numbers of fields are those of upstream's api.proto.

test("NodePrepareResourcesRequest: a claim is namespace, uid and name", () => {
  const request = { claims: [{ namespace: "n", uid: "u", name: "c" }] };
  expect(NodePrepareResourcesRequest.encode(request)).toEqual(
    bytes("0a 09 0a 01 'n' 12 01 'u' 1a 01 'c'"),
  );
});

test("NodePrepareResourcesResponse: a map from uids to devices or an error", () => {
  const device = "0a 0f 0a 01 'r' 12 01 'p' 1a 01 'd' 22 01 'x' 2a 01 's'";
  const devices = bytes(`0a 18 0a 01 'u' 12 13 ${device} 12 00`);
  expect(NodePrepareResourcesResponse.decode(devices)).toEqual({
    claims: [
      {
        key: "u",
        value: {
          error: "",
          devices: [
            {
              ...{ request_names: ["r"], pool_name: "p", device_name: "d" },
              ...{ cdi_device_ids: ["x"], share_id: "s" },
            },
          ],
        },
      },
    ],
  });
  expect(NodePrepareResourcesResponse.decode(bytes("0a 08 0a 01 'u' 12 03 12 01 'e'"))).toEqual({
    claims: [{ key: "u", value: { error: "e", devices: [] } }],
  });
});

test("NodeUnprepareResourcesResponse: an entry may have no value", () => {
  expect(
    NodeUnprepareResourcesResponse.decode(bytes("0a 03 0a 01 'u' 0a 08 0a 01 'v' 12 03 0a 01 'e'")),
  ).toEqual({ claims: [{ key: "u" }, { key: "v", value: { error: "e" } }] });
});

test("NodeWatchResourcesResponse: health, its time and its timeout, which may be negative", () => {
  const minusOne = "ff ff ff ff ff ff ff ff ff 01";
  const device = `0a 06 0a 01 'p' 12 01 'd' 10 02 18 05 20 ${minusOne} 2a 01 'm'`;
  expect(NodeWatchResourcesResponse.decode(bytes(`0a 1a ${device}`))).toEqual({
    devices: [
      {
        ...{ device: { pool_name: "p", device_name: "d" }, health: "UNHEALTHY", message: "m" },
        ...{ last_updated_time: 5n, health_check_timeout_seconds: -1n },
      },
    ],
  });
  // A number that later versions may have is not known.
  expect(NodeWatchResourcesResponse.decode(bytes("0a 02 10 09")).devices[0]?.health).toBe(
    "UNKNOWN",
  );
});
