import { mkdir } from "node:fs/promises";
import { abortReason } from "../../../base/abort-reason.ts";
import type { Clock, Timer } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import type { PluginHandlers } from "./plugin-handler.ts";
import { type RegisteredPlugin, registerPlugin } from "./register-plugin.ts";
import { type SocketIdentity, watchSockets } from "./socket-tree.ts";

export interface PluginWatcherOptions {
  /** The folder in which plugins create their sockets. */
  readonly folder: string;
  readonly handlers: PluginHandlers;
  readonly clock: Clock;
  readonly log: Log;
}

/** Registers plugins while their sockets exist. */
export interface PluginWatcher {
  /** Resolves when no registration is under way. Plugins stay registered. */
  close(): Promise<void>;
}

/** Watches the folder in which plugins create their sockets. */
export async function openPluginWatcher(options: PluginWatcherOptions): Promise<PluginWatcher> {
  const { folder } = options;
  await mkdir(folder, { recursive: true, mode: 0o750 });
  const workers = new Map<string, SocketWorker>();
  let isClosed = false;
  const look = async (): Promise<void> => {
    const sockets = await tree.find();
    if (isClosed) return;
    for (const [socket, worker] of workers) worker.set(sockets.get(socket));
    for (const [socket, identity] of sockets) {
      if (workers.has(socket)) continue;
      const worker = new SocketWorker(socket, options, () => workers.delete(socket));
      workers.set(socket, worker);
      worker.set(identity);
    }
  };
  const tree = watchSockets(folder, () => void look());
  await look();
  return {
    async close() {
      isClosed = true;
      tree.close();
      await Promise.all(Array.from(workers.values(), (worker) => worker.stop()));
    },
  };
}

/** Keeps the plugin at one socket registered while the socket exists. */
class SocketWorker {
  readonly #socket: string;
  readonly #options: PluginWatcherOptions;
  readonly #ended: () => void;
  /** The socket as it is now; undefined if it is gone. */
  #wanted: SocketIdentity | undefined;
  #registered: (RegisteredPlugin & { readonly identity: SocketIdentity }) | undefined;
  #isWorking = false;
  #work: Promise<void> | undefined;
  #retry: Timer | undefined;
  #waitMs = firstWaitMs;
  readonly #stopping = new AbortController();

  constructor(socket: string, options: PluginWatcherOptions, ended: () => void) {
    this.#socket = socket;
    this.#options = options;
    this.#ended = ended;
  }

  set(identity: SocketIdentity | undefined): void {
    if (identity === this.#wanted) return;
    this.#wanted = identity;
    this.#waitMs = firstWaitMs;
    this.#start();
  }

  async stop(): Promise<void> {
    this.#stopping.abort(abortReason);
    this.#retry?.cancel();
    await this.#work;
  }

  #start(): void {
    this.#retry?.cancel();
    if (!this.#isWorking) this.#work = this.#reconcile();
  }

  async #reconcile(): Promise<void> {
    this.#isWorking = true;
    let mustRetry = false;
    while (!this.#isDone() && !mustRetry) {
      const identity = this.#wanted;
      try {
        if (this.#registered) await this.#deregister(this.#registered);
        else if (identity !== undefined) await this.#register(identity);
      } catch (error) {
        if (this.#stopping.signal.aborted) break;
        this.#options.log.warn("registering a plugin failed", { socket: this.#socket, error });
        // A socket that has changed meanwhile is another plugin.
        mustRetry = identity === this.#wanted;
      }
    }
    this.#isWorking = false;
    if (mustRetry) this.#retryLater();
    else if (this.#wanted === undefined) this.#ended();
  }

  #isDone(): boolean {
    return this.#wanted === this.#registered?.identity || this.#stopping.signal.aborted;
  }

  async #register(identity: SocketIdentity): Promise<void> {
    const { handlers, clock, log } = this.#options;
    const { signal } = this.#stopping;
    const registered = await registerPlugin(this.#socket, { handlers, clock, signal });
    this.#registered = { ...registered, identity };
    this.#waitMs = firstWaitMs;
    log.info("registered a plugin", { name: registered.plugin.name, socket: this.#socket });
  }

  async #deregister({ plugin, handler }: RegisteredPlugin): Promise<void> {
    this.#registered = undefined;
    await handler.deregister(plugin);
    this.#options.log.info("deregistered a plugin", { name: plugin.name, socket: this.#socket });
  }

  #retryLater(): void {
    if (this.#stopping.signal.aborted) return;
    this.#retry = this.#options.clock.setTimer(this.#waitMs, () => this.#start());
    this.#waitMs = Math.min(this.#waitMs * 2, longestWaitMs);
  }
}

const firstWaitMs = 500;
const longestWaitMs = 122_000;
