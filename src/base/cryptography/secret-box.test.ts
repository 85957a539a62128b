import { expect, test } from "vitest";
import { secretBox } from "./secret-box.ts";

const bytes = (hex: string): Uint8Array => Buffer.from(hex.replaceAll(/\s/g, ""), "hex");

// The example of NaCl's own documentation.
const key = bytes("1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389");
const nonce = bytes("69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37");
const message = bytes(`
  be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffce5ecbaaf33bd751a1ac728d45e6c6129
  6cdc3c01233561f41db66cce314adb310e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde
  048977eb48f59ffd4924ca1c60902e52f0a089bc76897040e082f937763848645e0705`);
const sealed = bytes(`
  f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186a
  c0dfc17c98dce87b4da7f011ec48c97271d2c20f9b928fe2270d6fb863d51738b48eeee314a7cc8ab932164548e526ae
  90224368517acfeabd6bb3732bc0e9da99832b61ca01b6de56244a9e88d5f9b37973f622a43d14a6599b1f654cb45a74
  e355a5`);

test("secretBox: seals and opens as NaCl does", () => {
  expect(Buffer.from(secretBox.seal(message, nonce, key)).toString("hex")).toBe(
    Buffer.from(sealed).toString("hex"),
  );
  expect(secretBox.open(sealed, nonce, key)).toEqual(new Uint8Array(message));
});

test("secretBox: messages of any length, and none that was changed", () => {
  for (const length of [0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 1000]) {
    const plain = new Uint8Array(length).fill(255);
    const box = secretBox.seal(plain, nonce, key);
    expect(secretBox.open(box, nonce, key)).toEqual(plain);
    for (const at of [0, 15, box.length - 1]) {
      const changed = box.slice();
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(secretBox.open(changed, nonce, key)).toBeUndefined();
    }
  }
  expect(secretBox.open(new Uint8Array(15), nonce, key)).toBeUndefined();
});
