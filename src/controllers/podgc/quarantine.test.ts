import { expect, test } from "vitest";
import { Quarantine } from "./quarantine.ts";

const always = () => true;

test("Quarantine: a node that is missed all the time is over after its time, and then anew", () => {
  const quarantine = new Quarantine(40);
  quarantine.add("n");
  const looks = [0, 20, 40, 60, 80, 100].map((now) => quarantine.look(now, always));
  expect(looks).toEqual([[], [], ["n"], [], [], ["n"]]);
});

test("Quarantine: a node that shows up is let go, and begins anew when it is missed again", () => {
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
