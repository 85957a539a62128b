import { expect, test } from "vitest";
import { Quarantine } from "./quarantine.ts";

const always = () => true;

test("Quarantine: a missing node is returned after the quarantine, which then starts again", () => {
  const quarantine = new Quarantine(40);
  quarantine.add("n");
  const looks = [0, 20, 40, 60, 80, 100].map((now) => quarantine.look(now, always));
  expect(looks).toEqual([[], [], ["n"], [], [], ["n"]]);
});

test("Quarantine: a node that appears is removed, and starts anew if it is missing again", () => {
  const quarantine = new Quarantine(40);
  quarantine.add("n");
  quarantine.add("m");
  quarantine.look(0, always);
  expect(quarantine.look(40, (node) => node === "m")).toEqual(["m"]);
  expect(quarantine.size).toBe(1);
  quarantine.add("n");
  expect(quarantine.look(60, always)).toEqual([]);
  expect(quarantine.look(100, always)).toEqual(["m", "n"]);
});
