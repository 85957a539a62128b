import { type Profiler, Session } from "node:inspector";
import { type Clock, sleep } from "../../base/clock.ts";
import { pprofBytes, type StackProfile } from "./pprof.ts";
import { cpuPeriod, cpuStacks, heapPeriod, heapStacks, type SampledHeap } from "./v8-profiles.ts";

export interface RecordOptions {
  readonly durationMs: number;
  readonly clock: Clock;
  /** Ends the recording early; there is no profile then. */
  readonly signal: AbortSignal;
}

/** One session of V8's inspector that records; a second recording is rejected meanwhile. */
export class ProfileRecorder {
  #isRecording = false;

  /** Where this process spends its time, in pprof's format. */
  cpu(options: RecordOptions): Promise<Uint8Array> {
    return this.#record(options, async (session, wait) => {
      await post(session, "Profiler.enable");
      await post(session, "Profiler.setSamplingInterval", { interval: cpuPeriod });
      await post(session, "Profiler.start");
      const recorded = await wait();
      const { profile } = (await post(session, "Profiler.stop")) as {
        profile: Profiler.Profile;
      };
      return cpuStacks(profile, recorded);
    });
  }

  /** What was allocated while it recorded and is still in use, in pprof's format. */
  heap(options: RecordOptions): Promise<Uint8Array> {
    return this.#record(options, async (session, wait) => {
      await post(session, "HeapProfiler.enable");
      await post(session, "HeapProfiler.startSampling", { samplingInterval: heapPeriod });
      const recorded = await wait();
      const { profile } = (await post(session, "HeapProfiler.stopSampling")) as {
        profile: SampledHeap;
      };
      return heapStacks(profile, recorded);
    });
  }

  async #record(
    { durationMs, clock, signal }: RecordOptions,
    run: (
      session: Session,
      wait: () => Promise<{ readonly startedAt: number; readonly durationMs: number }>,
    ) => Promise<StackProfile>,
  ): Promise<Uint8Array> {
    if (this.#isRecording) throw new Error("profiling is already in use");
    this.#isRecording = true;
    const session = new Session();
    const startedAt = clock.now();
    try {
      session.connect();
      const profile = await run(session, async () => {
        await sleep(clock, durationMs, signal);
        return { startedAt, durationMs: clock.now() - startedAt };
      });
      return pprofBytes(profile);
    } finally {
      // Whatever is being recorded ends with its session.
      session.disconnect();
      this.#isRecording = false;
    }
  }
}

const post = (session: Session, method: string, parameters: object = {}): Promise<unknown> =>
  new Promise((resolve, reject) => {
    session.post(method, parameters, (error, result) => (error ? reject(error) : resolve(result)));
  });
