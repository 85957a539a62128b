import { apiServer, computed } from "wherry/apiserver";
import { webhook } from "wherry/controller";
import { int32, kind, type ObjectOf, string, struct } from "wherry/schema";

const rooms = [
  { metadata: { name: "attic", labels: { floor: "3" } }, seats: 4 },
  { metadata: { name: "hall", labels: { floor: "0" } }, seats: 80 },
];

/** Bookings are stored. */
export const Booking = kind({
  group: "rooms.example.com",
  version: "v1",
  kind: "Booking",
  plural: "bookings",
  scope: "Namespaced",
  shortNames: ["bk"],
  doc: "A booking of a room.",
  fields: {
    spec: struct({
      room: string().required().doc("The room that is booked."),
      hours: int32().min(1).max(12).default(1).doc("For how long."),
      by: string().doc("Who has booked it; the caller if not given."),
    }).required(),
  },
  columns: [
    { name: "Room", type: "string", jsonPath: ".spec.room" },
    { name: "Hours", type: "integer", jsonPath: ".spec.hours" },
    { name: "By", type: "string", jsonPath: ".spec.by" },
  ],
});
export interface Booking extends ObjectOf<typeof Booking> {}

/** Rooms are computed: nobody can make one, and nothing is stored. */
export const Room = kind({
  group: "rooms.example.com",
  version: "v1",
  kind: "Room",
  plural: "rooms",
  scope: "Cluster",
  doc: "A room of the building.",
  fields: { seats: int32().doc("How many people it has seats for.") },
  columns: [{ name: "Seats", type: "integer", jsonPath: ".seats" }],
});

/** Serves bookings and rooms; `options` say where objects are stored, and how the server is reached. */
export const roomsServer = (options: Partial<Parameters<typeof apiServer>[0]> = {}) =>
  apiServer({
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
        default({ spec }, { user }) {
          spec.by ??= user.username;
        },
        validate({ spec }, { old }) {
          if (old && old.spec.room !== spec.room) return "a booking cannot move to another room";
          const isKnown = rooms.some(({ metadata }) => metadata.name === spec.room);
          return isKnown ? undefined : `there is no room ${spec.room}`;
        },
      }),
    ],
    ...options,
  });
