import { expect, test } from "vitest";
import { VirtualClock } from "../base/virtual-clock.ts";
import { admin, openServer, send } from "./in-process.test-support.ts";

test("selfsubjectreviews: the answer is who asks, with the credential shown, and when", async () => {
  const server = await openServer(new VirtualClock(Date.UTC(2024, 4, 1, 10)));
  const { status, text } = await send(server, {
    method: "POST",
    path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
    body: {
      kind: "SelfSubjectReview",
      apiVersion: "authentication.k8s.io/v1",
      metadata: { name: "ignored" },
    },
  });
  expect([status, JSON.parse(text)]).toEqual([
    201,
    {
      kind: "SelfSubjectReview",
      apiVersion: "authentication.k8s.io/v1",
      metadata: { creationTimestamp: "2024-05-01T10:00:00Z" },
      status: {
        userInfo: {
          username: "admin",
          groups: ["system:masters", "system:authenticated"],
          extra: {
            "authentication.kubernetes.io/credential-id": [`X509SHA256=${admin.fingerprint}`],
          },
        },
      },
    },
  ]);
  server.close();
});
