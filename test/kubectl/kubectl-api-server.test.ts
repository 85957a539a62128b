import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ApiServerOptions, apiServer } from "../../src/cluster/extension/api-server.ts";
import { computed } from "../../src/cluster/extension/computed-kind.ts";
import { createManager } from "../../src/controller-runtime/manager/manager.ts";
import { webhook } from "../../src/controller-runtime/webhooks/webhook.ts";
import { struct } from "../../src/custom-kinds/language/containers.ts";
import { kind } from "../../src/custom-kinds/language/kind.ts";
import { int32, string } from "../../src/custom-kinds/language/scalars.ts";
import { connect } from "../../src/kubeconfig/connect.ts";
import { eventually } from "../eventually.ts";
import { describeWith, requires } from "../requires.ts";
import { openTour, type Tour, testCommands } from "./kubectl.test-support.ts";

const group = "rooms.example.com";
const Booking = kind({
  group,
  version: "v1",
  kind: "Booking",
  plural: "bookings",
  scope: "Namespaced",
  shortNames: ["bk"],
  doc: "A booking of a room.",
  fields: {
    spec: struct({
      room: string().required().doc("The room that is booked."),
      hours: int32().min(1).max(12).default(1),
    }).required(),
    status: struct({ phase: string() }),
  },
  columns: [
    { name: "Room", type: "string", jsonPath: ".spec.room" },
    { name: "Hours", type: "integer", jsonPath: ".spec.hours" },
  ],
});
const Room = kind({
  group,
  version: "v1",
  kind: "Room",
  plural: "rooms",
  scope: "Cluster",
  fields: { seats: int32() },
  columns: [{ name: "Seats", type: "integer", jsonPath: ".seats" }],
});
const rooms = [
  { metadata: { name: "attic" }, seats: 4 },
  { metadata: { name: "hall", labels: { size: "large" } }, seats: 80 },
];

const booking = `
apiVersion: rooms.example.com/v1
kind: Booking
metadata: {name: standup}
spec: {room: attic}
`;

/** Runs a server of bookings on this machine for a cluster, until it is ended. */
async function serveBookings(kubeconfig: string, options: Partial<ApiServerOptions>) {
  const connection = await connect({ path: kubeconfig });
  const server = apiServer({
    name: "rooms",
    kinds: [
      Booking,
      computed(Room, {
        get: ({ name }) => rooms.find(({ metadata }) => metadata.name === name),
        list: () => rooms,
      }),
    ],
    webhooks: [
      webhook({
        for: Booking,
        validate: ({ spec }, { user }) =>
          spec.room === "hall" ? `${user.username} must not book the hall` : undefined,
      }),
    ],
    ...options,
  });
  const stop = new AbortController();
  const ended = createManager({ ...connection, runnables: [server] }).run({ signal: stop.signal });
  await eventually(() => expect(server.isRegistered).toBe(true));
  return {
    async end() {
      stop.abort();
      await ended;
      connection.close();
    },
  };
}

describeWith(requires("kubectl"))("kubectl and a server of other APIs", () => {
  let tour: Tour;
  let server: Awaited<ReturnType<typeof serveBookings>>;
  const serve = async () => {
    const store = { directory: join(tour.dir, "rooms") };
    server = await serveBookings(tour.server.kubeconfig, { store });
    const { printed } = await tour.run(
      `wait --for=condition=Available apiservice/v1.${group} --timeout=60s`,
    );
    expect(printed).toContain("condition met");
  };
  beforeAll(async () => {
    tour = await openTour({
      "booking.yaml": booking,
      "more.yaml": booking.replace("attic}", "attic, hours: 2}"),
      "hall.yaml": booking.replace("standup", "party").replace("attic", "hall"),
      "long.yaml": booking.replace("standup", "long").replace("attic}", "attic, hours: 13}"),
    });
    await serve();
  });
  afterAll(async () => {
    await server.end();
    await tour.close();
  });

  testCommands(
    () => tour,
    [
      ["apply -f booking.yaml", "booking.rooms.example.com/standup created"],
      ["get bookings", ["NAME  ROOM  HOURS  AGE", "standup  attic  1  0s"]],
      ["apply -f more.yaml", "booking.rooms.example.com/standup configured"],
      [
        "apply --server-side --force-conflicts -f booking.yaml",
        "booking.rooms.example.com/standup serverside-applied",
      ],
      [
        `patch bk standup --type=merge -p '{"spec":{"hours":3}}'`,
        "booking.rooms.example.com/standup patched",
      ],
      [
        `patch bk standup --subresource=status --type=merge -p '{"status":{"phase":"Booked"}}'`,
        "booking.rooms.example.com/standup patched",
      ],
      ["get bk standup -o jsonpath='{.spec.hours} {.status.phase}'", "3 Booked"],
      [
        "create -f long.yaml",
        'The Booking "long" is invalid: spec.hours: Invalid value: 13: spec.hours in body should be less than or equal to 12',
        1,
      ],
      [
        "create -f hall.yaml",
        'Error from server (Forbidden): error when creating "hall.yaml": admin must not book the hall',
        1,
      ],
      ["get rooms -l size=large", ["NAME  SEATS  AGE", "hall  80"]],
      ["get room cellar", `Error from server (NotFound): rooms.${group} "cellar" not found`, 1],
      [
        "get bookings --as=eve",
        `Error from server (Forbidden): bookings.${group} is forbidden: User "eve" cannot list resource "bookings" in API group "${group}" in the namespace "default"`,
        1,
      ],
      [
        "explain booking.spec.room",
        [
          "GROUP:      rooms.example.com",
          "KIND:       Booking",
          "VERSION:    v1",
          "",
          "FIELD: room <string>",
          "",
          "",
          "DESCRIPTION:",
          "    The room that is booked.",
        ],
      ],
      [`api-resources --api-group=${group} -o name`, [`bookings.${group}`, `rooms.${group}`]],
      ["delete bk standup", 'booking.rooms.example.com "standup" deleted'],
    ],
  );

  test("objects on disk outlive the server, and its registration ends with it", async () => {
    await tour.run("apply -f booking.yaml");
    await server.end();
    const gone = await tour.run("get bookings");
    expect(gone.printed).toContain("the server could not find the requested resource");
    await serve();
    await eventually(async () => {
      const { printed } = await tour.run("get bookings -o name");
      expect(printed).toBe("booking.rooms.example.com/standup\n");
    });
  });
});
