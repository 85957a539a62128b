import { expect, test } from "vitest";
import { parseConfiguration as parseScheduler } from "../../scheduler/parse-configuration.ts";
import { ignoredSettings as ofProxy } from "../commands/proxy/ignored-settings.ts";
import { parseProxyConfiguration } from "../commands/proxy/parse-proxy-configuration.ts";
import { ignoredSettings as ofScheduler } from "../commands/scheduler/ignored-settings.ts";
import { warningsOf } from "./settings-without-effect.ts";

const scheduler = (text: string) =>
  warningsOf(
    ofScheduler,
    parseScheduler(
      `apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n${text}`,
    ),
  );

function proxy(text: string) {
  const parsed = parseProxyConfiguration(
    `apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\n${text}`,
  );
  if (!("value" in parsed)) throw new Error(parsed.problems.join());
  return warningsOf(ofProxy, parsed.value);
}

test.each([
  ["", []],
  ["parallelism: 16", []],
  ["enableProfiling: true\ndelayCacheUntilActive: true", []],
  ["parallelism: 4", ["parallelism has no effect: nodes are examined one after the other"]],
  [
    "clientConnection: {acceptContentTypes: text/plain, contentType: application/cbor}",
    [
      "clientConnection.acceptContentTypes has no effect: responses of the API server are read as JSON",
      "clientConnection.contentType has no effect: requests to the API server are encoded as JSON",
    ],
  ],
])("a scheduler's settings without effect: %j", (text, warnings) => {
  expect(scheduler(text)).toEqual(warnings);
});

test.each([
  ["", []],
  ["configSyncPeriod: 15m0s", []],
  [
    "configSyncPeriod: 1m0s\nclientConnection: {qps: 50, acceptContentTypes: text/plain}",
    [
      "clientConnection.acceptContentTypes has no effect: responses of the API server are read as JSON",
      "clientConnection.qps has no effect: requests to the API server are not limited",
      "configSyncPeriod has no effect: the API is watched",
    ],
  ],
  [
    "ipvs: {scheduler: rr, strictARP: true}\nwinkernel: {enableDSR: true}",
    [
      "ipvs.scheduler has no effect: IPVS is not used",
      "ipvs.strictARP has no effect: IPVS is not used",
      "winkernel.enableDSR has no effect: the proxy runs on Linux",
    ],
  ],
])("a proxy's settings without effect: %j", (text, warnings) => {
  expect(proxy(text)).toEqual(warnings);
});
