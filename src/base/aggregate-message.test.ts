import { expect } from "vitest";
import { each } from "../../test/each.ts";
import { aggregateMessage } from "./aggregate-message.ts";

each<[messages: string[], text: string]>([
  [["one"], "one"],
  [["one", "one"], "one"],
  [["one", "two", "one"], "[one, two]"],
])("aggregateMessage: %j", (messages, text) => {
  expect(aggregateMessage(messages)).toBe(text);
});
