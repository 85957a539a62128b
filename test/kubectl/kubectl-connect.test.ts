import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type ExecKubelet,
  startExecKubelet,
} from "../../src/apiserver/http/exec-kubelet.test-support.ts";
import { describeWith, requires } from "../requires.ts";
import { openTour, type Tour } from "./kubectl.test-support.ts";

describeWith(requires("kubectl"))("kubectl with a kubelet", () => {
  let tour: Tour;
  let kubelet: ExecKubelet;
  const node = () => ({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "n1" },
    status: {
      addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
      daemonEndpoints: { kubeletEndpoint: { Port: kubelet.port } },
    },
  });

  beforeAll(async () => {
    kubelet = await startExecKubelet();
    tour = await openTour({ "in.txt": "what is said\n", "node.json": JSON.stringify(node()) });
    const overrides = JSON.stringify({ spec: { nodeName: "n1" } });
    const running = JSON.stringify({ status: { phase: "Running", containerStatuses: [] } });
    for (const line of [
      "create -f node.json",
      "replace --subresource=status -f node.json",
      `run web --image i --overrides '${overrides}'`,
      `patch pod web --subresource=status --type=merge -p '${running}'`,
    ])
      expect(await tour.run(line)).toMatchObject({ code: 0 });
  });
  afterAll(async () => {
    await tour.close();
    kubelet.close();
  });

  test("logs are those of the kubelet", async () => {
    expect(await tour.run("logs web --tail=5")).toEqual({
      code: 0,
      printed: "first line\nlast line\n",
    });
    expect(kubelet.asked.at(-1)).toBe("/containerLogs/default/web/web?tailLines=5");
  });

  test("followed logs are delivered line by line", async () => {
    const follower = tour.follow("logs web -f");
    expect(await follower.until(/first line/)).toContain("first line");
    await follower.stop();
  });

  test("exec uses a WebSocket in both directions", async () => {
    expect(await tour.run("exec -i web -- cat < in.txt")).toEqual({
      code: 0,
      printed: "what is said\n",
    });
    expect(kubelet.asked.at(-1)).toBe("/exec/default/web/web?command=cat&error=1&input=1&output=1");
  });

  test("attach does, too", async () => {
    expect((await tour.run("attach -i web < in.txt")).printed).toContain("what is said\n");
  });

  test("a request to a node whose address is not allowed is rejected", async () => {
    expect(await tour.run("get --raw /api/v1/nodes/n1/proxy/metrics")).toEqual({
      code: 1,
      printed: "Error from server (BadRequest): address not allowed\n",
    });
  });
});
