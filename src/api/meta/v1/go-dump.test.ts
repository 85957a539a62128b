import { expect, test } from "vitest";
import { Probe } from "../../core/v1/container/probe.ts";
import { ResourceRequirements } from "../../core/v1/container/resource-requirements.ts";
import { goDump } from "./go-dump.ts";

const probeRest =
  "InitialDelaySeconds:(int32)3 TimeoutSeconds:(int32)0 PeriodSeconds:(int32)0 SuccessThreshold:(int32)0 FailureThreshold:(int32)0 TerminationGracePeriodSeconds:(*int64)<nil>";

test("goDump: types and all fields, structs that Go embeds, and ports by number or name", () => {
  const probe = (port: number | string) =>
    goDump(Probe, { initialDelaySeconds: 3, tcpSocket: { port } } as never);
  const dumped = (port: string) =>
    `(v1.Probe){ProbeHandler:(v1.ProbeHandler){Exec:(*v1.ExecAction)<nil> HTTPGet:(*v1.HTTPGetAction)<nil> TCPSocket:(*v1.TCPSocketAction){Port:(intstr.IntOrString)${port} Host:(string)} GRPC:(*v1.GRPCAction)<nil>} ${probeRest}}`;
  expect(probe(80)).toBe(dumped("{Type:(intstr.Type)0 IntVal:(int32)80 StrVal:(string)}"));
  expect(probe("web")).toBe(dumped("{Type:(intstr.Type)1 IntVal:(int32)0 StrVal:(string)web}"));
});

test("goDump: quantities as they are held, maps in order, what is empty as nothing", () => {
  const amount = (value: number, format: string, text = "") =>
    `{i:(resource.int64Amount){value:(int64)${value} scale:(resource.Scale)0} d:(resource.infDecAmount){Dec:(*inf.Dec)<nil>} s:(string)${text} Format:(resource.Format)${format}}`;
  const given = { limits: { memory: "512Mi", cpu: "2" }, requests: {}, claims: [] };
  expect(goDump(ResourceRequirements, given)).toBe(
    `(v1.ResourceRequirements){Limits:(v1.ResourceList)map[cpu:${amount(2, "DecimalSI", "2")} memory:${amount(2 ** 29, "BinarySI")}] Requests:(v1.ResourceList)<nil> Claims:([]v1.ResourceClaim)<nil>}`,
  );
});
