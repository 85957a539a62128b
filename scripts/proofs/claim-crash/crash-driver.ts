import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Random } from "../../../src/base/random.ts";
import { driverServices } from "../../../src/kubelet/host/claims/claim-service.ts";
import { registrationMethods } from "../../../src/kubelet/host/plugins/registration-service.ts";
import { unaryHandler } from "../../../src/platform/grpc/grpc-server.ts";
import { serveGrpcSocket } from "../../../src/platform/grpc/serve-grpc-socket.ts";
import { below } from "../engine-crash-pod.ts";

interface CalledClaim {
  readonly name: string;
  readonly uid: string;
}

/** A driver that takes its time, and notes what a kubelet does wrong. Claims are named like their devices. */
export class CrashDriver {
  readonly name: string;
  readonly problems: string[] = [];
  /** The claims that are prepared, by name. */
  readonly prepared = new Set<string>();
  prepares = 0;
  unprepares = 0;
  /** Calls whose caller was gone before the answer. */
  interrupted = 0;
  readonly #random: Random;
  readonly #shared = new Set<string>();
  readonly #servers: { close(): Promise<void> }[] = [];

  constructor(name: string, random: Random) {
    this.name = name;
    this.#random = random;
  }

  /** A claim is about to be used, by one pod or several. */
  begin(claim: string, isShared: boolean): void {
    if (isShared) this.#shared.add(claim);
  }

  /** Registers at the kubelet whose root folder on this machine is given. */
  async serve(root: string): Promise<void> {
    const version = "v1.DRAPlugin";
    const methods = driverServices.get(version);
    if (!methods) throw new Error(`there is no service ${version}`);
    this.#servers.push(
      await serveGrpcSocket(join(root, "plugins/d.sock"), [
        unaryHandler(methods.prepare, async ({ claims }, { signal }) => {
          await this.#work(claims, (claim) => this.#prepare(claim), signal);
          return { claims: claims.map(({ uid }) => ({ key: uid, value: {} })) };
        }),
        unaryHandler(methods.unprepare, async ({ claims }, { signal }) => {
          await this.#work(claims, (claim) => this.#unprepare(claim), signal);
          return { claims: claims.map(({ uid }) => ({ key: uid, value: {} })) };
        }),
      ]),
      await serveGrpcSocket(join(root, "plugins_registry/d.sock"), [
        unaryHandler(registrationMethods.getInfo, async () => ({
          ...{ type: "DRAPlugin", name: this.name, supported_versions: [version] },
          endpoint: "/var/lib/kubelet/plugins/d.sock",
        })),
        unaryHandler(registrationMethods.notifyRegistrationStatus, async ({ error }) => {
          if (error !== "") this.problems.push(error);
          return {};
        }),
      ]),
    );
  }

  async close(): Promise<void> {
    for (const server of this.#servers) await server.close();
  }

  /** Works on claims, some time before or after which the caller may be killed. */
  async #work(
    claims: readonly CalledClaim[],
    work: (claim: string) => void,
    signal: AbortSignal,
  ): Promise<void> {
    await wait(below(400, this.#random));
    for (const { name } of claims) work(name);
    await wait(below(400, this.#random));
    if (signal.aborted) this.interrupted++;
  }

  #prepare(claim: string): void {
    this.prepares++;
    if (!this.#shared.has(claim) && isUsed(claim))
      this.problems.push(`${claim} is prepared again while it is used`);
    this.prepared.add(claim);
  }

  #unprepare(claim: string): void {
    this.unprepares++;
    if (isUsed(claim)) this.problems.push(`${claim} is unprepared while it is used`);
    this.prepared.delete(claim);
  }
}

/** Whether a process of a container has the name of the claim as its last argument. */
const isUsed = (claim: string): boolean =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .some((pid) => argumentsOf(pid).at(-1) === claim);

function argumentsOf(pid: string): readonly string[] {
  try {
    return readFileSync(join("/proc", pid, "cmdline"), "utf8")
      .split("\0")
      .slice(0, -1);
  } catch {
    return [];
  }
}
