import { expect, test } from "vitest";
import { conflict, notFound } from "../api/meta/v1/status-error.ts";
import { ignoreNotFound } from "./ignore-not-found.ts";

const pod = { group: "", resource: "pods", name: "web" };

test("ignoreNotFound: resolves with the response, or with undefined if the object does not exist", async () => {
  expect(await ignoreNotFound(Promise.resolve("web"))).toBe("web");
  expect(await ignoreNotFound(Promise.reject(notFound(pod)))).toBe(undefined);
});

test("ignoreNotFound: other errors are thrown", async () => {
  await expect(ignoreNotFound(Promise.reject(conflict(pod, "changed")))).rejects.toThrow("changed");
  await expect(ignoreNotFound(Promise.reject(new Error("broken")))).rejects.toThrow("broken");
});
