import { expect, test } from "vitest";
import type { Operation } from "./admission.ts";
import { alwaysDeny } from "./always-deny.ts";
import { admitted, judged } from "./attributes.test-support.ts";

test.each(["CREATE", "UPDATE", "DELETE", "CONNECT"] satisfies Operation[])(
  "alwaysDeny: %s",
  async (operation) => {
    const refused = 'pods "a" is forbidden: admission control is denying all modifications';
    expect(await admitted(alwaysDeny, { operation })).toEqual(refused);
    expect(await judged(alwaysDeny, { operation })).toEqual(refused);
  },
);
