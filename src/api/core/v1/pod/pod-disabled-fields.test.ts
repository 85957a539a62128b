import { expect, test } from "vitest";
import { podOf } from "./pod.test-support.ts";
import { dropDisabledPodFields, dropDisabledPodStatusFields } from "./pod-disabled-fields.ts";

const using = () =>
  podOf({
    spec: {
      schedulingGroup: { podGroupName: "g" },
      volumes: [
        {
          name: "v",
          projected: {
            sources: [
              { clusterTrustBundle: { name: "b", path: "p" } },
              { podCertificate: { signerName: "s", keyType: "ED25519", keyPath: "k" } },
            ],
          },
        },
      ],
      containers: [{ name: "c", image: "i", lifecycle: { stopSignal: "SIGTERM" } }],
    },
    status: {
      nodeAllocatableResourceClaimStatuses: [{ resourceClaimName: "c", resources: { cpu: "1" } }],
      containerStatuses: [
        {
          name: "c",
          ready: true,
          restartCount: 0,
          image: "i",
          imageID: "",
          volumeMounts: [{ name: "v", mountPath: "/", volumeStatus: { image: { imageRef: "r" } } }],
        },
      ],
    },
  });

test("dropDisabledPodFields: a new pod loses what is not switched on", () => {
  const { spec } = using();
  dropDisabledPodFields(spec, undefined);
  expect([
    spec.schedulingGroup,
    spec.volumes?.[0]?.projected?.sources,
    spec.containers[0]?.lifecycle,
  ]).toEqual([undefined, [{}, {}], undefined]);
});

test("dropDisabledPodFields: projections of features that are on stay", () => {
  const { spec } = using();
  dropDisabledPodFields(spec, undefined, { features: new Set(["PodCertificateRequest"]) });
  const [, certificate] = using().spec.volumes?.[0]?.projected?.sources ?? [];
  expect(spec.volumes?.[0]?.projected?.sources).toEqual([{}, certificate]);
});

test("dropDisabledPodFields: a pod that uses it keeps it", () => {
  const { spec } = using();
  dropDisabledPodFields(spec, using().spec);
  expect(spec).toEqual(using().spec);
});

test("dropDisabledPodStatusFields: the same of the status", () => {
  const { status } = using();
  dropDisabledPodStatusFields(status, using().status);
  expect(status).toEqual(using().status);
  dropDisabledPodStatusFields(status, {});
  expect([
    status.nodeAllocatableResourceClaimStatuses,
    status.containerStatuses?.[0]?.volumeMounts,
  ]).toEqual([undefined, [{ name: "v", mountPath: "/" }]]);
});
