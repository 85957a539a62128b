import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../eventually.ts";
import { describeWith, requires } from "../requires.ts";
import { openTour, type Tour } from "./kubectl.test-support.ts";

const web = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}, annotations: {wherry.dev/cpu: 250m, wherry.dev/memory: 64Mi}}
    spec:
      containers:
      - {name: app, image: "app:1", resources: {requests: {cpu: 100m}}}
`;

describeWith(requires("kubectl"))("kubectl and resource metrics", () => {
  let tour: Tour;
  beforeAll(async () => {
    tour = await openTour({ "web.yaml": web }, { nodes: 1 });
    await tour.run("apply -f web.yaml");
    await tour.run("wait --for=condition=Available deployment/web --timeout=60s");
  }, 90_000);
  afterAll(() => tour.close());

  test("kubectl top pods: shows what pods and their containers use", async () => {
    await eventually(async () => {
      const { printed } = await tour.run("top pods");
      expect(printed).toMatch(
        /^NAME +CPU\(cores\) +MEMORY\(bytes\) +\n(web-\w+-\w+ +250m +64Mi +\n){2}$/,
      );
    });
    const { printed } = await tour.run("top pods --containers --no-headers -l app=web");
    expect(printed).toMatch(/^(web-\w+-\w+ +app +250m +64Mi +\n){2}$/);
  });

  test("kubectl top nodes: shows the sum, and per cent of what the node has", async () => {
    const { printed } = await tour.run("top nodes");
    expect(printed).toMatch(/^NAME .*CPU\(cores\).*\n[\w-]+ +500m +12% +128Mi +0% +\n$/);
  });

  test("kubectl autoscale: makes an autoscaler that reads the scale of the deployment", async () => {
    await tour.run("autoscale deployment web --cpu-percent=50 --min=2 --max=5");
    const { printed } = await tour.run("wait --for=condition=AbleToScale hpa/web --timeout=60s");
    expect(printed).toBe("horizontalpodautoscaler.autoscaling/web condition met\n");
  });
});
