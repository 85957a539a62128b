import type { RuntimeService } from "../../../cri/runtime-service.ts";
import { execProbe } from "../../pod/probes/exec-probe.ts";
import { ProbeError, type Prober } from "../../pod/probes/prober.ts";
import { grpcProbe } from "./grpc-probe.ts";
import { httpProbe } from "./http-probe.ts";
import { tcpProbe } from "./tcp-probe.ts";

/** Probes real containers: with commands in them, and over the network of the machine. */
export const hostProber = (runtime: Pick<RuntimeService, "execSync">): Prober => ({
  async probe(request) {
    const { exec, httpGet, tcpSocket, grpc } = request.probe;
    if (exec) return execProbe(runtime, request);
    if (httpGet) return httpProbe(httpGet, request);
    if (tcpSocket) return tcpProbe(tcpSocket, request);
    if (grpc) return grpcProbe(grpc, request);
    throw new ProbeError(`missing probe handler for ${request.container.name}`, "unknown");
  },
});
